// Cuts text to the limits of spec 2.10 by Unicode code points, so that no character is split; the service counts the same way.

/** The first `limit` code points. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let count = 0; count < limit && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
