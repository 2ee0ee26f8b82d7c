/** The stories under every framework: `make adapters-typescript`. */

import { langchain } from "./langchain.js";
import { openaiAgents } from "./openai-agents.js";
import { main } from "./story.js";
import { vercel } from "./vercel.js";

await main(vercel, openaiAgents, langchain);
