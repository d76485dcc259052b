// Finds entries of all logs that contain what somebody looks for.

import type { SearchReply } from '@fairgate/contracts/console/search.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Button, Select, TextInput } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded, PartError } from '../../../show/states.tsx'
import { cutExcerpt } from './cut-excerpt.ts'

type Group = SearchReply['items'][number]

export function SearchScreen() {
  const search = useSearch({ from: '/console/search' })
  const navigate = useNavigate({ from: '/console/search' })
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'team_alias', limit: 500 }))
  const [text, setText] = useState(search.q ?? '')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(search.q ?? ''), [search.q])
  useHotkeys([{ keys: '/', does: 'To the search field', run: () => field.current?.focus() }])
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  return (
    <>
      <PageHead title="Search the logs" />
      <form
        className="row wrap"
        onSubmit={event => {
          event.preventDefault()
          set({ q: text.trim() === '' ? undefined : text.trim() })
        }}
      >
        <TextInput
          ref={field}
          aria-label="What entries contain"
          placeholder={'agedPick "return [" -test'}
          value={text}
          maxLength={256}
          w="min(440px, 100%)"
          autoFocus={search.q === undefined}
          onChange={event => setText(event.currentTarget.value)}
        />
        <Select
          aria-label="Team"
          placeholder="All teams"
          clearable
          searchable
          data={
            teams.data?.items.map(({ team_id, team_alias }) => ({
              value: team_id,
              label: team_alias === '' ? team_id : team_alias,
            })) ?? []
          }
          value={search.team ?? null}
          onChange={value => set({ team: value ?? undefined })}
        />
        <Button type="submit">Search</Button>
      </form>
      <p className="small muted">
        Words in any order and case; <code>"…"</code> exactly so; <code>-word</code> nowhere.
      </p>
      {search.q === undefined ? (
        <Card>
          <Empty>Prompts, answers, commands and their output: everything that the recorders have sent.</Empty>
        </Card>
      ) : (
        <Found query={search.q} team={search.team} person={search.person} tool={search.tool} />
      )}
    </>
  )
}

function Found({
  query,
  team,
  person,
  tool,
}: {
  readonly query: string
  readonly team: string | undefined
  readonly person: string | undefined
  readonly tool: string | undefined
}) {
  const found = useReadPages(
    readOf<SearchReply>('/logs/search', { q: query, team_id: team, person, tool, limit: 50 }),
  )
  const pages = found.data?.pages ?? []
  const hits = pages.reduce((sum, page) => sum + page.hits, 0)
  const last = pages.at(-1)
  if (found.error !== null && found.data === undefined)
    return <PartError what="The search" failure={found.error} />
  return (
    <Loaded read={found} what="The search" height={300}>
      {() => (
        <>
          {pages
            .flatMap(({ items }) => items)
            .map(group => (
              <GroupCard key={`${group.team_id} ${group.session_id} ${group.hits[0]?.seq}`} group={group} />
            ))}
          <Card>
            {found.hasNextPage ? (
              <div className="row-between wrap">
                <span className="muted">
                  {countOf(hits, 'entry', 'entries')} so far
                  {last?.searched_to === null || last === undefined ? '' : ', searched back to '}
                  {last?.searched_to === null || last === undefined ? null : <Moment at={last.searched_to} />}
                </span>
                <Button
                  variant="default"
                  loading={found.isFetchingNextPage}
                  onClick={() => void found.fetchNextPage()}
                >
                  Search on
                </Button>
              </div>
            ) : (
              <Empty>
                {hits === 0
                  ? 'No entry contains this.'
                  : `That is all: ${countOf(hits, 'entry', 'entries')}.`}
              </Empty>
            )}
          </Card>
        </>
      )}
    </Loaded>
  )
}

function GroupCard({ group: { team_id: team, session_id: session, tool, hits } }: { readonly group: Group }) {
  return (
    <Card
      title={
        <span className="row wrap">
          <Link to="/console/teams/$team" params={{ team }}>
            <ForeignText text={team} most={40} />
          </Link>
          <span className="muted">
            <ForeignText text={tool ?? ''} most={20} />{' '}
            {session === null ? 'no session' : session.slice(0, 8)}
          </span>
        </span>
      }
      note={countOf(hits.length, 'hit')}
    >
      <ul className="stack">
        {hits.map(hit => (
          <li key={`${hit.seq} ${hit.member}`} className="row-between wrap">
            <span className="grow">
              <span className="faint small">
                <ForeignText text={hit.member} most={40} />{' '}
              </span>
              {hit.is_cut.start ? '…' : ''}
              {cutExcerpt(hit.excerpt, hit.ranges).map(({ text, isHit, at }) =>
                isHit ? (
                  <mark key={at} className="hit">
                    <ForeignText text={text} />
                  </mark>
                ) : (
                  <ForeignText key={at} text={text} />
                ),
              )}
              {hit.is_cut.end ? '…' : ''}
            </span>
            <span className="row small muted">
              <Moment at={hit.ts} />
              {session === null ? (
                <Link to="/console/entries/$team/$seq" params={{ team, seq: String(hit.seq) }}>
                  #{hit.seq}
                </Link>
              ) : (
                <Link
                  to="/console/sessions/$team/$session"
                  params={{ team, session }}
                  search={{ seq: String(hit.seq) }}
                >
                  #{hit.seq}
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
