/** The models of the examples: scripted, the same under every framework. */

/** One call, as a model writes it. */
export interface Written {
  tool: string;
  arguments: string;
}

/** A turn of a model: reads what its last calls brought, and makes the next ones, or says how it ended. */
export type Mind = (read: readonly string[]) => readonly Written[] | string;

/** What the observation of a failure says, as far as a model needs it here. */
interface Observation {
  class: string;
  field?: string;
  expected?: string;
  alternatives?: Record<string, unknown>[];
}

/**
 * A model with one task. It branches on the fields of what it reads. Told nothing but prose, it does
 * what models do: sends the call again, varied where it has an idea, for as long as it is let.
 */
export function mindOf(task: Written, ideas: readonly string[] = []): Mind {
  let call = task;
  let blind = 0;
  return ([text]) => {
    if (text === undefined) return [call];
    const answer = parsed(text);
    if (answer === undefined) {
      call = { ...task, arguments: ideas[blind++ % ideas.length] ?? task.arguments };
      return [call];
    }
    if (!isObservation(answer)) return call === task ? "done" : `done with ${call.arguments}`;
    const next = answer.class === "transient" ? undefined : changed(call, answer);
    if (next === undefined) return "reported";
    call = next;
    return [call];
  };
}

function changed(call: Written, { field, expected, alternatives }: Observation): Written | undefined {
  const args = parsed(call.arguments) as Record<string, unknown>;
  if (field !== undefined && expected === "YYYY-MM-DD") {
    const [month, day, year] = String(args[field]).split("/");
    return { ...call, arguments: JSON.stringify({ ...args, [field]: [year, month, day].join("-") }) };
  }
  const [nearest] = alternatives ?? [];
  return nearest && { ...call, arguments: JSON.stringify(nearest) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObservation(answer: unknown): answer is Observation {
  return typeof answer === "object" && answer !== null && "class" in answer && "retryable" in answer;
}

/** The items at the end of a transcript that are of one kind, the oldest first. */
export function trailing<Item, Kind extends Item>(
  items: readonly Item[],
  isKind: (item: Item) => item is Kind,
): Kind[] {
  const found: Kind[] = [];
  for (const item of [...items].reverse()) {
    if (!isKind(item)) break;
    found.unshift(item);
  }
  return found;
}
