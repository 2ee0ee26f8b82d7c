/** The invoices and the clinic, played with an adapter and without one, and what each of the two cost. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { AdapterOptions } from "../src/adapters/dispatcher.js";
import { type Abortable, Client, type Run, type ToolList } from "../src/index.js";
import { type Mind, mindOf, type Written } from "./mind.js";
import { asleep } from "./sleep.js";

/** A tool that calls its back end directly, as most are written. */
export interface PlainTool {
  name: string;
  description: string;
  schema: object;
  /** Gives the body; a status of 400 and more is thrown, as fetch's callers do. */
  call: (args: Record<string, string>) => Promise<string>;
}

/** A framework, with its agent around a scripted model. */
export interface Framework {
  name: string;
  /** The agent with the adapter's tools; gives the model's last words. */
  withAdapter(mind: Mind, run: Run, tools: ToolList, options?: AdapterOptions & Abortable): Promise<string>;
  /** The same agent with plain tools, and whatever the framework makes of their failures. */
  without(mind: Mind, tools: PlainTool[]): Promise<string>;
}

/** What a story cost, and how it ended. */
export interface Figures {
  story: string;
  framework: string;
  adapter: boolean;
  upstreamCalls: number;
  sleptSeconds: number;
  modelTurns: number;
  bytesRead: number;
  ended: string;
}

interface Story {
  name: string;
  task: Written;
  ideas?: string[];
}

const day = (start_date: string): string => JSON.stringify({ start_date });

/** Nobody tells the model without an adapter which form a date has; these it tries. */
const IDEAS = ["03/14/2026", "14/03/2026", "03-14-2026", "March 14, 2026"].map(day);

export const STORIES: readonly Story[] = [
  { name: "invoices", task: { tool: "list_invoices", arguments: day("03/14/2026") }, ideas: IDEAS },
  {
    name: "invoices, untyped",
    task: { tool: "list_invoices_untyped", arguments: day("03/14/2026") },
    ideas: IDEAS,
  },
  {
    name: "clinic",
    task: { tool: "book_slot", arguments: '{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}' },
  },
];

/** The gateway and the back ends of examples/stage. */
export class Stage implements AsyncDisposable {
  private constructor(
    private readonly process: ChildProcess,
    private readonly at: Record<"gateway" | "billing" | "clinic" | "control", string>,
  ) {}

  static async open(): Promise<Stage> {
    const program = spawn(process.env["STAGE"] ?? "stage", {
      stdio: ["pipe", "pipe", "inherit"],
    });
    for await (const line of createInterface(program.stdout))
      return new Stage(program, JSON.parse(line) as Stage["at"]);
    throw new Error("the stage ended");
  }

  /** Plays a story, on fresh back ends. */
  async play(framework: Framework, story: Story, adapter: boolean): Promise<Figures> {
    await fetch(`${this.at.control}/reset`, { method: "POST" });
    const costs = { modelTurns: 0, bytesRead: 0 };
    const mind = counted(mindOf(story.task, story.ideas), costs);
    const sleep = asleep();
    const play = adapter ? this.#withAdapter(framework, mind) : framework.without(mind, this.#plainTools());
    const ended = await play.catch(
      (error: unknown) => `ended by ${error instanceof Error ? error.constructor.name : String(error)}`,
    );
    return {
      story: story.name,
      framework: framework.name,
      adapter,
      upstreamCalls: await this.#requests(),
      sleptSeconds: sleep.seconds(),
      ...costs,
      ended,
    };
  }

  async #withAdapter(framework: Framework, mind: Mind): Promise<string> {
    using client = new Client(this.at.gateway);
    await using run = client.run();
    return await framework.withAdapter(mind, run, await client.listTools());
  }

  #plainTools(): PlainTool[] {
    const strings = (...names: string[]) => {
      const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
      return { type: "object", properties };
    };
    const invoices = {
      description: "Lists the invoices of the account, oldest first.",
      schema: strings("start_date", "end_date", "status"),
      call: (args: Record<string, string>) =>
        body(`${this.at.billing}/invoices?${new URLSearchParams(args).toString()}`),
    };
    return [
      { name: "list_invoices", ...invoices },
      { name: "list_invoices_untyped", ...invoices },
      {
        name: "book_slot",
        description: "Books an appointment.",
        schema: strings("practitioner_id", "start"),
        call: (args) => body(`${this.at.clinic}/bookings`, { method: "POST", body: JSON.stringify(args) }),
      },
    ];
  }

  async #requests(): Promise<number> {
    const response = await fetch(`${this.at.control}/requests`);
    return Object.values((await response.json()) as Record<string, number>).reduce((a, b) => a + b);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.stdin?.end();
    await exit;
  }
}

async function body(url: string, request?: RequestInit): Promise<string> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`HTTP ${response.status.toString()}`);
  return response.text();
}

function counted(mind: Mind, costs: { modelTurns: number; bytesRead: number }): Mind {
  return (read) => {
    costs.modelTurns++;
    for (const text of read) costs.bytesRead += Buffer.byteLength(text);
    return mind(read);
  };
}

/** Plays all stories under a framework, and prints a line for each. */
export async function main(...frameworks: Framework[]): Promise<void> {
  await using stage = await Stage.open();
  console.log(line("story", "framework", "", "upstream calls", "slept", "turns", "bytes read", "ended"));
  for (const framework of frameworks)
    for (const story of STORIES)
      for (const adapter of [true, false]) {
        const { upstreamCalls, sleptSeconds, modelTurns, bytesRead, ended } = await stage.play(
          framework,
          story,
          adapter,
        );
        const kind = adapter ? "adapter" : "without";
        const slept = `${sleptSeconds.toString()} s`;
        console.log(
          line(story.name, framework.name, kind, upstreamCalls, slept, modelTurns, bytesRead, ended),
        );
      }
}

const WIDTHS = [18, 14, 8, 15, 6, 6, 11, 0];

function line(...cells: (string | number)[]): string {
  return cells
    .map((cell, i) => String(cell).padEnd(WIDTHS[i] ?? 0))
    .join(" ")
    .trimEnd();
}
