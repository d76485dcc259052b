// Counts and cuts text by Unicode code points, the unit of the limits. A surrogate pair is never split.

/** Returns true if the text has more than `limit` code points. A lone surrogate counts as one. */
export function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && cutText(text, limit).length < text.length
}

/** Returns the first `limit` code points. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let count = 0; count < limit && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
