// Folds long untrusted texts to their first lines, with a button to show the rest.
import { Button } from '@mantine/core'
import { createContext, useContext, useState } from 'react'
import { formatCount } from '../format/number.ts'
import { CopyButton } from '../show/copy-button.tsx'
import { ForeignBlock, ForeignCode, ForeignText } from '../show/foreign.tsx'
import type { DiffLine } from './read-entry.ts'

/** True if everything is unfolded. */
export const UnfoldedContext = createContext(false)

const shownLines = 12
/** Max characters of an unfolded text; a folded text has 5,000. */
const maxUnfolded = 200_000

function useFold(count: number) {
  const isAllUnfolded = useContext(UnfoldedContext)
  const [isOpen, setOpen] = useState(false)
  return {
    isOpen: isOpen || isAllUnfolded,
    toggle:
      count <= shownLines ? null : (
        <Button data-fold variant="subtle" size="compact-xs" onClick={() => setOpen(!isOpen)}>
          {isOpen || isAllUnfolded ? 'Show less' : `Show all ${formatCount(count)} lines`}
        </Button>
      ),
  }
}

export function FoldedCode({ text }: { readonly text: string }) {
  const lines = text.split('\n')
  // A single line can be long, too.
  const count = Math.max(lines.length, text.length > 5000 ? shownLines + 1 : 0)
  const { isOpen, toggle } = useFold(count)
  return (
    <div className="entry-code">
      <ForeignCode
        text={isOpen ? text : lines.slice(0, shownLines).join('\n')}
        most={isOpen ? maxUnfolded : 5000}
      />
      <div className="row">
        {toggle}
        <CopyButton text={text} isIcon />
      </div>
    </div>
  )
}

export function FoldedProse({ text }: { readonly text: string }) {
  const lines = text.split('\n')
  const isLong = lines.length > 30 || text.length > 5000
  const { isOpen, toggle } = useFold(isLong ? Math.max(lines.length, shownLines + 1) : 0)
  return (
    <div className="entry-prose">
      <ForeignBlock text={isOpen ? text : lines.slice(0, 30).join('\n')} most={isOpen ? maxUnfolded : 5000} />
      {toggle}
    </div>
  )
}

export function FoldedDiff({ lines }: { readonly lines: readonly DiffLine[] }) {
  const { isOpen, toggle } = useFold(lines.length)
  const shown = isOpen ? lines.slice(0, 5000) : lines.slice(0, shownLines)
  return (
    <div className="entry-code">
      <div className="entry-diff" lang="">
        {shown.map(({ sign, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other key and never move.
          <div key={index} data-sign={sign}>
            <span aria-hidden>{sign}</span>
            <span className="hidden-text">{sign === '+' ? 'added: ' : sign === '-' ? 'removed: ' : ''}</span>
            <ForeignText text={text.replaceAll('\t', '  ')} most={2000} />
          </div>
        ))}
      </div>
      {toggle}
    </div>
  )
}
