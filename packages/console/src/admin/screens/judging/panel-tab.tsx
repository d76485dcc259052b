// The judges: load, tags, conflicts and claim links, with the actions on each.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { Button, Menu, UnstyledButton } from '@mantine/core'
import { FileUp, Link2, MoreHorizontal, Plus } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty } from '../../../show/states.tsx'
import { ImportJudges } from './import-judges.tsx'
import { ConflictDialog, JudgeDialog, ReplaceDialog, ReturnDialog } from './judge-dialogs.tsx'
import { LinkState, type MadeLinks, NewLinksDialog, RevokeLinkDialog } from './judge-links.tsx'
import { JudgeSheets } from './judge-sheets.tsx'

type Asked =
  | { readonly kind: 'import' | 'add' | 'links' }
  | {
      readonly kind: 'edit' | 'conflict' | 'replace' | 'return' | 'link' | 'revoke'
      readonly judge: JudgeItem
    }

export function PanelTab({
  judges,
  setup,
}: {
  readonly judges: readonly JudgeItem[]
  readonly setup: JudgingSetup | null
}) {
  const [asked, setAsked] = useState<Asked | null>(null)
  // Codes are shown once, so they are kept only here.
  const [made, setMade] = useState<MadeLinks | null>(null)
  if (made !== null)
    return <JudgeSheets made={made} judges={judges} setup={setup} onDone={() => setMade(null)} />
  const without = judges.filter(({ absent, link }) => !absent && link.state !== 'works')
  return (
    <Card
      isFlush
      title="Judges"
      note={describePanel(judges)}
      action={
        <span className="row wrap">
          <IconButton icon={Plus} size="xs" onClick={() => setAsked({ kind: 'add' })}>
            Add a judge
          </IconButton>
          <IconButton
            icon={FileUp}
            size="xs"
            variant={judges.length === 0 ? 'filled' : 'default'}
            onClick={() => setAsked({ kind: 'import' })}
          >
            Import…
          </IconButton>
          {without.length === 0 ? null : (
            <IconButton icon={Link2} size="xs" variant="filled" onClick={() => setAsked({ kind: 'links' })}>
              Make {countOf(without.length, 'claim link')}…
            </IconButton>
          )}
        </span>
      }
    >
      {judges.length === 0 ? (
        <Empty
          action={
            <Button variant="default" onClick={() => setAsked({ kind: 'import' })}>
              Import judges
            </Button>
          }
        >
          No judges yet. Import a spreadsheet with the columns name, email, tags, tracks and minutes.
        </Empty>
      ) : (
        <DataTable
          caption="Judges, by name"
          columns={columns}
          rows={judges}
          idOf={({ judge_id }) => judge_id}
          actions={judge => <JudgeActions judge={judge} choose={kind => setAsked({ kind, judge })} />}
        />
      )}
      {asked === null ? null : (
        <Dialogs asked={asked} setup={setup} onMade={setMade} onClose={() => setAsked(null)} />
      )}
    </Card>
  )
}

function describePanel(judges: readonly JudgeItem[]): string {
  const absent = judges.filter(judge => judge.absent).length
  const arrived = judges.filter(({ link }) => link.first_used_at !== null).length
  return [
    countOf(judges.length, 'judge'),
    ...(absent === 0 ? [] : [`${absent} absent`]),
    ...(arrived === 0 ? [] : [`${arrived} signed in`]),
  ].join(', ')
}

function Dialogs({
  asked,
  setup,
  onMade,
  onClose,
}: {
  readonly asked: Asked
  readonly setup: JudgingSetup | null
  readonly onMade: (made: MadeLinks) => void
  readonly onClose: () => void
}) {
  switch (asked.kind) {
    case 'import':
      return <ImportJudges onClose={onClose} />
    case 'add':
      return <JudgeDialog judge={null} setup={setup} onClose={onClose} />
    case 'edit':
      return <JudgeDialog judge={asked.judge} setup={setup} onClose={onClose} />
    case 'conflict':
      return <ConflictDialog judge={asked.judge} onClose={onClose} />
    case 'replace':
      return <ReplaceDialog judge={asked.judge} onClose={onClose} />
    case 'return':
      return <ReturnDialog judge={asked.judge} onClose={onClose} />
    case 'links':
      return <NewLinksDialog judge={null} onMade={onMade} onClose={onClose} />
    case 'link':
      return <NewLinksDialog judge={asked.judge} onMade={onMade} onClose={onClose} />
    case 'revoke':
      return <RevokeLinkDialog judge={asked.judge} onClose={onClose} />
  }
}

const columns: readonly Column<JudgeItem>[] = [
  {
    id: 'judge',
    head: 'Judge',
    cell: ({ name, email }) => (
      <span className="judge-name">
        <span className="strong">
          <ForeignName name={name} most={32} />
        </span>
        {email === null ? null : (
          <span className="faint small from-1024">
            <ForeignText text={email} most={40} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'teams',
    head: 'Teams',
    isEnd: true,
    cell: ({ teams, absent }) => (absent ? <Badge tone="warn">absent</Badge> : teams.length),
  },
  {
    id: 'link',
    head: 'Claim link',
    from: 600,
    cell: judge => <LinkState judge={judge} />,
  },
  {
    id: 'signed',
    head: 'Signed in',
    from: 768,
    cell: ({ link }) => <Moment at={link.first_used_at} as="ago" none="not yet" />,
  },
  {
    id: 'tags',
    head: 'School or company',
    from: 1024,
    cell: ({ tags }) => <Words words={tags} />,
  },
  { id: 'tracks', head: 'Tracks', from: 1280, cell: ({ tracks }) => <Words words={tracks} /> },
  {
    id: 'minutes',
    head: 'Minutes',
    isEnd: true,
    from: 1280,
    cell: ({ minutes }) => minutes ?? <span className="faint">–</span>,
  },
  {
    id: 'conflicts',
    head: 'Conflicts',
    isEnd: true,
    from: 768,
    cell: ({ conflicts }) => (
      <span
        title={conflicts.map(({ team_id, reason }) => `${team_id}: ${reason}`).join('\n')}
        className={conflicts.length === 0 ? 'faint' : ''}
      >
        {conflicts.length === 0 ? '–' : conflicts.length}
      </span>
    ),
  },
]

function Words({ words }: { readonly words: readonly string[] }) {
  return words.length === 0 ? (
    <span className="faint">–</span>
  ) : (
    <ForeignText text={words.join(', ')} most={40} />
  )
}

function JudgeActions({
  judge: { name, absent, link },
  choose,
}: {
  readonly judge: JudgeItem
  readonly choose: (kind: 'edit' | 'conflict' | 'replace' | 'return' | 'link' | 'revoke') => void
}) {
  return (
    <span className="row nowrap judge-actions">
      {absent ? (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`${name} is back`}
          onClick={() => choose('return')}
        >
          Is back…
        </Button>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Replace ${name}`}
          onClick={() => choose('replace')}
        >
          Replace…
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <UnstyledButton className="chip" aria-label={`Actions for ${name}`}>
            <MoreHorizontal size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => choose('edit')}>Edit…</Menu.Item>
          <Menu.Item onClick={() => choose('conflict')}>Declare a conflict…</Menu.Item>
          <Menu.Item onClick={() => choose('link')}>
            {link.state === 'works' ? 'Replace the claim link…' : 'Make a claim link…'}
          </Menu.Item>
          {link.state === 'works' ? (
            <Menu.Item color="red" onClick={() => choose('revoke')}>
              Revoke the claim link…
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
