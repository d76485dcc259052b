// Search in the logs: the form, and the entries found, grouped by session. Each hit opens its entry in place.
import { defaultSearchPage, type SearchHit, type SearchReply } from '@fairgate/contracts/console/search.ts'
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { MorePages } from '../api/more-pages.ts'
import type { QueryValues } from '../api/request.ts'
import { readOf, useReadPages } from '../api/use-read.ts'
import { countOf, formatBytes } from '../format/number.ts'
import { shortenSession } from '../format/session.ts'
import { useHotkeys } from '../frame/hotkeys.tsx'
import { useAddress } from '../frame/use-address.ts'
import { Card } from '../show/card.tsx'
import { FilterChip } from '../show/chips.tsx'
import { EntryMoment } from '../show/entry-moment.tsx'
import { ForeignId, ForeignText } from '../show/foreign.tsx'
import { Moment } from '../show/moment.tsx'
import { MoreButton } from '../show/more-button.tsx'
import { PageHead } from '../show/page-head.tsx'
import { PageLink } from '../show/page-link.tsx'
import { Empty, PartError, Skeleton } from '../show/states.tsx'
import { cutMarks } from './cut-marks.ts'
import { useSessionSource } from './session-source.tsx'

/** A page searches for a fifth of a second: the first hits are shown at once, and the search goes on by itself for a second. */
const pagesPerLook = 5

export type SearchViewProps = {
  /** The route that searches. */
  readonly path: string
  /** Its filters, from the query of the address. */
  readonly queryOf: (search: Readonly<Record<string, string | undefined>>) => QueryValues
  /** Filters of the page, after the button. */
  readonly children?: ReactNode
  readonly renderTeam: (team: string) => ReactNode
}

export function SearchView({ path, queryOf, children, renderTeam }: SearchViewProps) {
  const { search, set } = useAddress()
  const { q } = search
  const [text, setText] = useState(q ?? '')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(q ?? ''), [q])
  const found = useReadPages(readOf<SearchReply>(path, { q, ...queryOf(search) }), { isOff: q === undefined })
  const submit = (given: FormEvent) => {
    given.preventDefault()
    set({ q: text.trim() === '' ? undefined : text.trim() })
    // Blurs the field so that the next arrow key scrolls the page instead of moving within the field.
    field.current?.blur()
  }
  useHotkeys([{ keys: '/', does: 'Focus the search field', run: () => field.current?.focus() }])
  return (
    <>
      <PageHead title="Search the logs" />
      <form className="row wrap" onSubmit={submit} aria-label="Search">
        <TextInput
          ref={field}
          className="search-field"
          aria-label="Search text"
          placeholder={'words, "exact phrase", -without'}
          value={text}
          maxLength={256}
          autoFocus={q === undefined}
          onChange={change => setText(change.currentTarget.value)}
        />
        <Button type="submit">Search</Button>
        {children}
        {(['person', 'tool', 'event', 'from', 'until'] as const).map(name =>
          search[name] === undefined ? null : (
            <FilterChip key={name} onClear={() => set({ [name]: undefined })}>
              {name}: <ForeignText text={search[name]} most={30} />
            </FilterChip>
          ),
        )}
      </form>
      {q === undefined ? (
        <Card>
          <Empty>
            Type words that an entry must contain, and press Enter. Use <code>"…"</code> for an exact phrase
            and <code>-word</code> to exclude entries.
          </Empty>
        </Card>
      ) : found.data !== undefined ? (
        <Found more={found.more} pages={found.data.pages} q={q} set={set} renderTeam={renderTeam} />
      ) : found.error !== null ? (
        <PartError what="The search" failure={found.error} retry={() => void found.refetch()} />
      ) : (
        <Skeleton lines={4} height={72} />
      )}
    </>
  )
}

function Found({
  more,
  pages,
  q,
  set,
  renderTeam,
}: Pick<SearchViewProps, 'renderTeam'> & {
  readonly more: MorePages | undefined
  readonly pages: readonly SearchReply[]
  readonly q: string
  readonly set: (change: Readonly<Record<string, string | undefined>>) => void
}) {
  const { sessionHref } = useSessionSource()
  const hits = pages.reduce((sum, page) => sum + page.hits, 0)
  const entries = pages.reduce((sum, page) => sum + page.searched.entries, 0)
  const bytes = pages.reduce((sum, page) => sum + page.searched.bytes, 0)
  const searchedTo = pages.at(-1)?.searched_to ?? null
  useEffect(() => {
    // A full page ends before its time is over, so that the reader decides.
    const wasCut = pages.length % pagesPerLook !== 0 && (pages.at(-1)?.hits ?? 0) < defaultSearchPage
    if (wasCut && more !== undefined && !more.isBusy && more.failure === null) more.load()
  }, [pages, more])
  return (
    <div className="stack">
      <p className="muted" role="status" data-searched>
        {countOf(hits, 'entry', 'entries')} found in {countOf(entries, 'entry', 'entries')} (
        {formatBytes(bytes)}).{' '}
        {searchedTo === null ? (
          'All entries searched.'
        ) : (
          <>
            Searched back to <Moment at={searchedTo} as="moment" /> so far.
          </>
        )}
      </p>
      {hits === 0 && searchedTo === null ? (
        <Card>
          <Empty
            action={
              <Button
                variant="default"
                onClick={() =>
                  set({
                    team: undefined,
                    person: undefined,
                    tool: undefined,
                    event: undefined,
                    from: undefined,
                    until: undefined,
                  })
                }
              >
                Clear filters
              </Button>
            }
          >
            No entry contains <ForeignText text={q} most={80} />.
          </Empty>
        </Card>
      ) : null}
      {pages.map((page, index) =>
        page.items.map(({ team_id: team, session_id: session, tool, hits: places }) => (
          <Card
            // biome-ignore lint/suspicious/noArrayIndexKey: a page is identified by its number.
            key={`${index} ${team} ${session ?? ''}`}
            title={
              <span className="row wrap">
                {renderTeam(team)}
                {session === null ? (
                  <span className="faint">no session</span>
                ) : (
                  <PageLink href={sessionHref({ team, session, tool })}>
                    <ForeignText text={`${tool ?? ''} ${shortenSession(session)}`} most={40} />
                  </PageLink>
                )}
              </span>
            }
            note={countOf(places.length, 'entry', 'entries')}
            isFlush
          >
            <ul>
              {places.map(hit => (
                <Hit key={hit.seq} hit={hit} team={team} session={session} tool={tool} />
              ))}
            </ul>
          </Card>
        )),
      )}
      <MoreButton more={more}>Search older entries</MoreButton>
    </div>
  )
}

function Hit({
  hit: { seq, event, member, excerpt, ranges, is_cut, ...times },
  team,
  session,
  tool,
}: {
  readonly hit: SearchHit
  readonly team: string
  readonly session: string | null
  readonly tool: string | null
}) {
  const { sessionHref, entryHref } = useSessionSource()
  const href = session === null ? entryHref(team, seq) : sessionHref({ team, session, tool, seq })
  return (
    <li>
      <PageLink href={href} className="search-hit" data-hit={seq}>
        <span className="row small faint">
          <span className="mono">
            <EntryMoment times={times} />
          </span>
          <ForeignText text={event ?? ''} most={40} />
          <ForeignId text={member} most={40} />
        </span>
        <span className="search-excerpt" lang="">
          {is_cut.start ? '…' : null}
          {cutMarks(excerpt, ranges).map(({ text, isMark }, index) =>
            isMark ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other key and never move.
              <mark key={index}>
                <ForeignText text={text} />
              </mark>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <ForeignText key={index} text={text} />
            ),
          )}
          {is_cut.end ? '…' : null}
        </span>
      </PageLink>
    </li>
  )
}
