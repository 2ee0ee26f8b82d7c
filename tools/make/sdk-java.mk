SDKS       += java
NEEDS_java := a JDK 17 or newer, and Maven 3.6.3 or newer
CHECK_java := command -v mvn && test "$$(javac -version 2>&1 | sed 's/^javac \([0-9]*\).*/\1/')" -ge 17

JAVA_SDK := $(CACHE)/sdk-java
# Every version is pinned, so that nothing is asked of the network that is here already.
MAVEN    := mvn --batch-mode --no-transfer-progress --threads 1C -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dstyle.color=never -Dmaven.repo.local=$(JAVA_SDK)/repository

JAVA_EXECUTOR := sdk/java/conformance/target/program/executor.jar
# It lives for seconds: the quick compiler.
EXECUTOR_java  := java+-XX:TieredStopAtLevel=1+-cp+$(dir $(JAVA_EXECUTOR))*+dev.toolgate.sdk.conformance.Executor
EXECUTORS_java := java=$(EXECUTOR_java) java=$(EXECUTOR_java)+--async

.PHONY: sdk-java
sdk-java: build ## Build, lint, test and package the Java SDK
	@rm -rf $(dir $(JAVA_EXECUTOR))
	TOOLGATE=$(BIN)/toolgate $(MAVEN) -f sdk/java verify
	@touch $(JAVA_EXECUTOR)
	@ls sdk/java/*/target/*-sources.jar

.PHONY: executor-java
executor-java: $(JAVA_EXECUTOR)

JAVA_OF_EXECUTOR = $(addsuffix /pom.xml,sdk/java sdk/java/client sdk/java/conformance gen/java) \
  $(shell find gen/java/src sdk/java/client/src/main sdk/java/conformance/src/main -name '*.java')

$(JAVA_EXECUTOR): $(JAVA_OF_EXECUTOR)
	@rm -rf $(@D)
	$(MAVEN) -f sdk/java package -pl conformance -am -DskipTests -Dmaven.source.skip
	@touch $@
