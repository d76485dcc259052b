// Finds out what the output can show: a terminal with its size and colours, or a file for another reader.

export type Screen = {
  /** False for a pipe or a file, which gets plain text in full. */
  readonly isTerminal: boolean
  readonly hasColor: boolean
  /** In columns. */
  readonly width: number
  /** In lines. */
  readonly height: number
}

export type OutputStream = {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

const usualWidth = 80
const usualHeight = 24

/** NO_COLOR (no-color.org) counts unless it is empty. */
export function readScreen(
  { isTTY, columns, rows }: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): Screen {
  const isTerminal = isTTY === true
  const isPlain = environment.NO_COLOR !== undefined && environment.NO_COLOR !== ''
  return {
    isTerminal,
    hasColor: isTerminal && !isPlain && environment.TERM !== 'dumb',
    // A terminal that does not know its size reports 0.
    width: columns || usualWidth,
    height: rows || usualHeight,
  }
}
