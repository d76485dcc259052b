// What the scripted model says: for a known prompt, one step after another, each a tool call or the final answer.

export type Call = {
  readonly kind: 'call'
  readonly tool: string
  /** A custom tool of the Responses dialect gets a text. */
  readonly input: Readonly<Record<string, unknown>> | string
  /** Responses dialect only. */
  readonly namespace?: string
}

export type Step =
  | Call
  | { readonly kind: 'answer'; readonly text: string }
  /** An answer that begins and never ends. */
  | { readonly kind: 'stall'; readonly text: string }

/** A step may depend on what the last tool returned, such as an id. */
export type PlannedStep = Step | ((lastResult: string) => Step)

export type Script = { readonly prompt: string; readonly steps: readonly PlannedStep[] }

/** The conversation so far, from a request in any dialect. */
export type Turn = { readonly kind: 'user' | 'result'; readonly text: string }

/** The answer to anything outside the scripts: titles, routing, and whatever else an agent asks on the side. */
const aside: Step = { kind: 'answer', text: 'ok' }

export type FoundStep = {
  readonly step: Step
  /** The same for the same step of the same script. */
  readonly place: string
}

/** Chooses by the last known prompt and the results since then, so the same request always gets the same answer. */
export function findStep(scripts: readonly Script[], turns: readonly Turn[]): FoundStep {
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at]
    const script =
      turn?.kind === 'user' ? scripts.find(({ prompt }) => turn.text.includes(prompt)) : undefined
    if (script === undefined) continue
    const results = turns.slice(at).filter(({ kind }) => kind === 'result')
    const planned = script.steps[results.length] ?? script.steps.at(-1) ?? aside
    const step = typeof planned === 'function' ? planned(results.at(-1)?.text ?? '') : planned
    return { step, place: `${script.prompt} ${results.length}` }
  }
  return { step: aside, place: '' }
}
