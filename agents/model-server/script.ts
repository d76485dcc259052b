// What the scripted model says: for a known prompt, one step after another, each a tool call or the final answer.

export type Step =
  | { readonly kind: 'call'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'answer'; readonly text: string }

export type Script = { readonly prompt: string; readonly steps: readonly Step[] }

/** The conversation so far, from a request in any dialect. */
export type Turn = { readonly kind: 'user'; readonly text: string } | { readonly kind: 'result' }

/** The answer to anything outside the scripts: titles, routing, and whatever else an agent asks on the side. */
const aside: Step = { kind: 'answer', text: 'ok' }

/** Chooses by the last known prompt and the results since then, so the same request always gets the same answer. */
export function findStep(scripts: readonly Script[], turns: readonly Turn[]): Step {
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at]
    const script =
      turn?.kind === 'user' ? scripts.find(({ prompt }) => turn.text.includes(prompt)) : undefined
    if (script === undefined) continue
    const results = turns.slice(at).filter(({ kind }) => kind === 'result').length
    return script.steps[results] ?? script.steps.at(-1) ?? aside
  }
  return aside
}
