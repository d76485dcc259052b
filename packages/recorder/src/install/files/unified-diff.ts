// Shows a change to a text as a unified diff, which anyone can read and `patch` can apply.
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'

export function writeDiff(path: string, before: string | null, after: string | null): string {
  const hunks = createTwoFilesPatch('', '', before ?? '', after ?? '', '', '', {
    context: 3,
    headerOptions: OMIT_HEADERS,
  })
  // Not the header of the library, which writes letters beyond ASCII in a path as numbers.
  const [from, to] = [before, after].map(text => (text === null ? '/dev/null' : path))
  return `--- ${from}\n+++ ${to}\n${hunks.trimStart()}`
}
