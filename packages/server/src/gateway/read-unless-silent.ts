// Waits for the next bytes of an upstream, but not for ever: one that has said everything may forget to close.

/** Null when nothing came for so many milliseconds: what comes later is lost, so the stream must be closed then. */
export async function readUnlessSilent<Read>(
  reading: Promise<Read>,
  silenceMs: number,
): Promise<Read | null> {
  const silence = Promise.withResolvers<null>()
  const timer = setTimeout(silence.resolve, silenceMs, null)
  try {
    return await Promise.race([reading, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}
