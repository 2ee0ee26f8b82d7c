LANGCHAIN4J := sdk/java/langchain4j/target

# Its tests play the stories.
sdk-java: stage

.PHONY: adapters-java
adapters-java: stage ## Play the stories in LangChain4j, with its adapter and without
	@mkdir -p $(JAVA_SDK)
	@$(MAVEN) -f sdk/java test-compile -pl langchain4j -am
	@STAGE=$(BIN)/stage java -cp "$(LANGCHAIN4J)/classes:$(LANGCHAIN4J)/test-classes:$$(cat $(LANGCHAIN4J)/classpath)" dev.toolgate.langchain4j.example.Stories
