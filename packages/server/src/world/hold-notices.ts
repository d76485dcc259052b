// Holds back log lines of the start until the server is announced, so that the person who starts it first reads that it is ready.

export type Notices = { readonly warn: (fields: object, message: string) => void }

export type HeldNotices = Notices & {
  /** Writes the held lines in order. Later lines pass at once. */
  readonly release: () => void
}

export function holdNotices(log: Notices): HeldNotices {
  const held: (readonly [fields: object, message: string])[] = []
  let isReleased = false
  return Object.freeze({
    warn: (fields: object, message: string) => {
      if (isReleased) log.warn(fields, message)
      else held.push([fields, message])
    },
    release: () => {
      isReleased = true
      for (const [fields, message] of held.splice(0)) log.warn(fields, message)
    },
  })
}
