package dev.toolgate.langchain4j.example;

import dev.langchain4j.service.AiServices;
import dev.toolgate.langchain4j.ToolgateTools;
import dev.toolgate.sdk.Client;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Plays two stories with LangChain4j: with the adapter in front of a gateway, and with LangChain4j alone. */
public final class Stories {
    private static final String MARCH_14 = "{\"start_date\":\"03/14/2026\"}";
    private static final String TAKEN = "{\"practitioner_id\":\"p_17\",\"start\":\"2026-03-12T14:30:00Z\"}";

    private Stories() {}

    interface Assistant {
        String chat(String message);
    }

    /**
     * What was counted of one story.
     *
     * @param error what the service threw; empty: it did not
     */
    record Figures(String story, String layer, int requests, Duration slept, ScriptedModel model, String error) {
        String ended() {
            if (!error.isEmpty()) {
                return "exception: " + error;
            }
            return model.alternative() ? "done, with an alternative" : model.done() ? "done" : "not done";
        }

        @Override
        public String toString() {
            return "%-24s %-12s %14d %5d s %12d %11d  %s"
                    .formatted(story, layer, requests, slept.toSeconds(), model.turns(), model.bytesRead(), ended());
        }
    }

    /** Plays them, and prints what was counted. */
    public static void main(String[] args) throws Exception {
        System.out.printf(
                "%-24s %-12s %14s %7s %12s %11s  %s%n",
                "story", "tool layer", "upstream calls", "slept", "model turns", "bytes read", "ended");
        play().forEach(System.out::println);
    }

    static List<Figures> play() throws IOException, InterruptedException {
        List<Figures> played = new ArrayList<>();
        try (Stage stage = new Stage();
                Client client = Client.connect(stage.at("gateway"))) {
            ToolgateTools tools = ToolgateTools.of(client);
            for (String tool : List.of("list_invoices", "list_invoices_untyped")) {
                String story = tool.equals("list_invoices") ? "invoices, format: date" : "invoices, bare string";
                played.add(play(stage, story, "toolgate", new ScriptedModel(tool, MARCH_14), tools::addTo));
            }
            PlainTools plain = new PlainTools(stage.at("billing"), stage.at("clinic"));
            Equipped alone = service -> service.tools(plain);
            played.add(play(stage, "invoices", "LangChain4j", new ScriptedModel("list_invoices", MARCH_14), alone));
            String clinic = "clinic, a taken slot";
            played.add(play(stage, clinic, "toolgate", new ScriptedModel("book_slot", TAKEN), tools::addTo));
            played.add(play(stage, clinic, "LangChain4j", new ScriptedModel("book_slot", TAKEN), alone));
        }
        return played;
    }

    /** Gives a service its tools. */
    interface Equipped {
        AiServices<Assistant> equip(AiServices<Assistant> service);
    }

    private static Figures play(Stage stage, String story, String layer, ScriptedModel model, Equipped tools)
            throws IOException, InterruptedException {
        stage.reset();
        Assistant assistant = tools.equip(AiServices.builder(Assistant.class).chatModel(model))
                .build();
        Sleeps sleeps = Sleeps.counted();
        String error = "";
        try {
            assistant.chat(story);
        } catch (RuntimeException thrown) {
            error = thrown.getMessage();
        }
        return new Figures(story, layer, stage.requests(), sleeps.end(), model, error);
    }
}
