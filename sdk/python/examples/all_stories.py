"""Every framework's stories, in one table."""

from __future__ import annotations

import stories
import with_anthropic
import with_google_adk
import with_langgraph
import with_openai_agents
import with_pydantic_ai

ALL = (with_openai_agents, with_langgraph, with_pydantic_ai, with_google_adk, with_anthropic)

if __name__ == "__main__":
    print(stories.table([row for one in ALL for row in one.main()]))
