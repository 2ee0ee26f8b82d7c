"""What a harness needs in order to show a model what the gateway says, and no more.

One module for each harness, with the extra that brings it: `openai_agents`, `langchain`
(LangGraph too), `pydantic_ai`, `google_adk`, `anthropic`. What they have in common:

- The model reads the gateway's own words, `observation`, for a failed call. The harness
  adds none: no "please try again", no arguments said again.
- A transient failure is waited out for up to `within` seconds before the model hears of it.
- The calls of one turn go out together, so that the gateway counts them once.
- The text that a model wrote reaches the gateway as it is, where the harness still has it.
- A `GatewayError` is raised, out of the harness' run: no model can do anything about it.
- The id of a call goes along, so that a harness that runs a step again gets the outcome that
  there was, and nothing is done twice.
"""
