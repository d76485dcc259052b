// Reads the events of a live stream, for tests.

export type Event = {
  readonly event: string
  readonly id: string | null
  readonly data: Record<string, unknown>
}

export function parseEvents(text: string): Event[] {
  return text.split('\n\n').flatMap(part => {
    const members = new Map(
      part.split('\n').map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
    )
    const event = members.get('event')
    if (event === undefined) return []
    return [{ event, id: members.get('id') ?? null, data: JSON.parse(members.get('data') ?? 'null') }]
  })
}
