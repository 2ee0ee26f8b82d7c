/** What the examples show: a story with an adapter, and the same framework without it. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { langchain } from "../examples/langchain.js";
import { openaiAgents } from "../examples/openai-agents.js";
import { type Figures, Stage, STORIES } from "../examples/story.js";
import { vercel } from "../examples/vercel.js";

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage[Symbol.asyncDispose]());

/** How far each framework goes by itself: calls that are made, and how it ends. */
const WITHOUT = [
  { framework: vercel, calls: 20, ended: "nothing after 20 steps" },
  { framework: openaiAgents, calls: 10, ended: "MaxTurnsExceededError" },
  { framework: langchain, calls: 12, ended: "GraphRecursionError" },
];

/** The calls that a story takes with an adapter, and how it ends. */
const WITH: Record<string, Pick<Figures, "upstreamCalls" | "modelTurns" | "ended">> = {
  invoices: { upstreamCalls: 1, modelTurns: 2, ended: "done" },
  "invoices, untyped": { upstreamCalls: 2, modelTurns: 3, ended: 'done with {"start_date":"2026-03-14"}' },
  clinic: {
    upstreamCalls: 3, // one of them looks for alternatives
    modelTurns: 3,
    ended: 'done with {"practitioner_id":"p_17","start":"2026-03-12T14:45:00Z"}',
  },
};

for (const { framework, calls, ended } of WITHOUT)
  for (const story of STORIES) {
    test(`${framework.name}: ${story.name}, with the adapter`, async () => {
      const figures = await stage.play(framework, story, true);
      assert.deepEqual({ ...figures, ...WITH[story.name] }, figures);
      assert.equal(figures.sleptSeconds, 0);
    });

    test(`${framework.name}: ${story.name}, without it, ends with nothing`, async () => {
      const figures = await stage.play(framework, story, false);
      assert.deepEqual([figures.upstreamCalls, figures.sleptSeconds], [calls, 0]);
      assert.match(figures.ended, new RegExp(ended));
    });
  }
