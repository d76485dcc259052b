// Entries cited for scores: kept by the panel with the scores, and chosen in the conversation.
import { Menu } from '@mantine/core'
import { Bookmark, BookmarkCheck } from 'lucide-react'
import { createContext, useContext } from 'react'
import { ForeignText } from '../show/foreign.tsx'

export type Citations = {
  readonly criteria: readonly { readonly id: string; readonly name: string }[]
  /** Ids of the criteria that an entry is cited for. */
  readonly citedFor: (seq: number) => readonly string[]
  readonly toggle: (seq: number, criterionId: string) => void
}

/** Null while nothing can be cited: the team is not the judge's, or the judgement is finished. */
export const CitationsContext = createContext<Citations | null>(null)

function useCitations(): Citations | null {
  return useContext(CitationsContext)
}

export function CiteButton({ seq }: { readonly seq: number }) {
  const citations = useCitations()
  if (citations === null) return null
  const { criteria, citedFor, toggle } = citations
  const cited = citedFor(seq)
  const Icon = cited.length > 0 ? BookmarkCheck : Bookmark
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className="cite" data-cited={cited.length > 0}>
          <Icon size={14} aria-hidden />
          <span className="cite-word">{cited.length > 0 ? 'Cited' : 'Cite'}</span>
          <span className="hidden-text"> entry {seq}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Cite entry {seq} for</Menu.Label>
        {criteria.map(({ id, name }) => (
          <Menu.CheckboxItem key={id} checked={cited.includes(id)} onChange={() => toggle(seq, id)}>
            <ForeignText text={name} most={40} />
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
