/** The tools of a gateway for LangChain4j: {@link dev.toolgate.langchain4j.ToolgateTools}. */
package dev.toolgate.langchain4j;
