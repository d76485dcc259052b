// Timestamps carried in the first event of a stream, on one clock for all processes of the machine.

/** Unix ms with a fraction. */
export function readClock(): number {
  return performance.timeOrigin + performance.now()
}

export type Stamp = { readonly requestedAt: number; readonly sentAt: number }

/** Finds `@requested/sent@` in the bytes of a stream in any dialect; null if it has not arrived yet. */
export function readStamp(text: string): Stamp | null {
  const [, requestedAt, sentAt] = /@([\d.]+)\/([\d.]+)@/.exec(text) ?? []
  return requestedAt === undefined || sentAt === undefined
    ? null
    : { requestedAt: Number(requestedAt), sentAt: Number(sentAt) }
}
