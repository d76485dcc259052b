// Writes a complete answer as the events in which OpenAI's clients expect one that is still being made.
import { serverSentEventsResponse } from '../../http/server-sent-events.ts'

/** One event each; clients distinguish them by `type`. */
export function writeEvents(
  events: Iterable<{ readonly type: string }>,
  headers: Readonly<Record<string, string>>,
): Response {
  return serverSentEventsResponse(encode(events), { headers })
}

async function* encode(events: Iterable<object>): AsyncGenerator<string, void> {
  for (const event of events) yield `data: ${JSON.stringify(event)}\n\n`
}
