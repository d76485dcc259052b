// Turns the messages of Anthropic's dialect into the turns that the plan of the other dialects reads.
import type { Turn } from '../read-request.ts'
import type { Message } from './read-messages.ts'

type Draft = {
  role: Turn['role']
  texts: string[]
  calls: Turn['calls'][number][]
  results: Turn['results'][number][]
}

/** Messages of one role in a row are one turn. Text next to results only carries switches, so the turn has none. */
export function listTurns(messages: readonly Message[]): readonly Turn[] {
  const names = new Map<unknown, string>()
  const turns: Draft[] = []
  for (const { role, content, blocks } of messages) {
    const name = role === 'assistant' ? 'model' : 'user'
    if (turns.at(-1)?.role !== name) turns.push({ role: name, texts: [], calls: [], results: [] })
    const turn = turns.at(-1)
    if (turn === undefined) continue
    for (const [index, json] of content.entries()) {
      const { type, text } = blocks[index] ?? { type: '', text: '' }
      if (type === 'text') turn.texts.push(text)
      if (type === 'tool_use') {
        names.set(json.id, String(json.name))
        turn.calls.push({ name: String(json.name), signature: null })
      }
      if (type === 'tool_result') {
        const response = json.is_error === true ? { error: text } : { output: text }
        turn.results.push({ name: names.get(json.tool_use_id) ?? '', response })
      }
    }
    if (turn.results.length > 0) turn.texts = []
  }
  return turns
}
