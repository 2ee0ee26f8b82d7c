package dev.toolgate.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.toolgate.v1.Tool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecificationsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'string'}                               | {'type':'string'}",
                "{'type':'string','format':'date','description':'Day.'} | {'type':'string','description':'Day. (format: date)'}",
                "{'type':'integer','minimum':1,'maximum':9}      | {'type':'integer','description':'(minimum: 1, maximum: 9)'}",
                "{'enum':['a','b'],'default':'a'}                | {'type':'string','description':'(default: a)','enum':['a','b']}",
                "{'type':'integer','enum':[1,2]}                 | {'type':'integer','description':'(enum: [1,2])'}",
                "{'type':['string','null'],'maxLength':3}        | {'description':'(maxLength: 3)','anyOf':[{'type':'string'},{'type':'null'}]}",
                "{'type':'array','items':{'type':'boolean'},'minItems':1} | {'type':'array','description':'(minItems: 1)','items':{'type':'boolean'}}",
                "{'oneOf':[{'type':'number'},{'$ref':'#/$defs/d'}]} | {'anyOf':[{'type':'number'},{'$ref':'#/$defs/d'}]}",
                "{'properties':{'b':{'type':'number'}},'required':['b']} | {'type':'object','properties':{'b':{'type':'number'}},'required':['b']}",
            })
    void aSchemaBecomesOneOfTheFrameworksAndWhatItCantSayIsDescribed(String schema, String element) {
        JsonObject parameters =
                parameters("{\"type\":\"object\",\"properties\":{\"a\":" + schema.replace('\'', '"') + "}}");
        assertEquals(
                JsonParser.parseString(element.replace('\'', '"')),
                parameters.getAsJsonObject("properties").get("a"));
    }

    @Test
    void definitionsAndRequirementsAreKept() {
        JsonObject parameters = parameters("""
                {"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"any":{}},"required":["a"],
                 "$defs":{"d":{"type":"string"}}}""");
        assertEquals("{\"d\":{\"type\":\"string\"}}", parameters.get("$defs").toString());
        assertEquals("[\"a\"]", parameters.get("required").toString());
        assertEquals(
                5,
                parameters
                        .getAsJsonObject("properties")
                        .getAsJsonObject("any")
                        .getAsJsonArray("anyOf")
                        .size());
    }

    @Test
    void aToolWithoutASchemaTakesAnObject() {
        assertEquals("object", parameters("").get("type").getAsString());
        assertEquals("object", parameters("true").get("type").getAsString());
    }

    @Test
    void ourToolsAreKnownAmongOthers() {
        assertTrue(Specifications.isOurs(
                Specifications.of(Tool.newBuilder().setName("t").build())));
        assertFalse(Specifications.isOurs(ToolSpecification.builder().name("t").build()));
    }

    private static JsonObject parameters(String schema) {
        Tool tool = Tool.newBuilder().setName("t").setInputSchemaJson(schema).build();
        String json = Specifications.of(tool).toJson();
        return JsonParser.parseString(json).getAsJsonObject().getAsJsonObject("parameters");
    }
}
