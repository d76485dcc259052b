// JSON of an upstream → values that can be written again: whole, cut off, or too deeply nested to be meant well.

/** Deeper than any answer; what is written as JSON again is read by recursion. */
export const deepestReply = 200

const decoder = new TextDecoder()

/** Throws SyntaxError for what is no JSON, or nested too deeply. */
export function parseReply(bytes: Uint8Array): unknown {
  return checkDepth(JSON.parse(decoder.decode(bytes)))
}

export function checkDepth<Value>(value: Value): Value {
  if (isDeeperThan(value, deepestReply)) throw new SyntaxError('The JSON is nested too deeply.')
  return value
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const item of inside) {
    if (typeof item === 'object' && item !== null && isDeeperThan(item, levels - 1)) return true
  }
  return false
}

/** Whether the bytes are one whole document, an object or an array: tried only where their end looks like one. */
export function isWholeJson(bytes: Uint8Array): boolean {
  const last = bytes.findLast(byte => byte > 0x20)
  if (last !== 0x7d && last !== 0x5d) return false
  try {
    JSON.parse(decoder.decode(bytes))
    return true
  } catch {
    return false
  }
}

/** What a document says that was cut off: what is open is closed where the text ends. Null when that is no JSON either. */
export function parseCutReply(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes)
  const open: string[] = []
  let inString = false
  let isEscaped = false
  for (const character of text) {
    if (isEscaped) isEscaped = false
    else if (inString && character === '\\') isEscaped = true
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') open.push('}')
    else if (character === '[') open.push(']')
    else if (character === '}' || character === ']') open.pop()
  }
  const readable = isEscaped ? text.slice(0, -1) : inString ? text.replace(/\\u[0-9a-f]{0,3}$/i, '') : text
  try {
    return checkDepth(JSON.parse(`${readable}${inString ? '"' : ''}${open.reverse().join('')}`))
  } catch {
    return null
  }
}
