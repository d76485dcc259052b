// What a team handed in. Repository, links and files are absent while judging is blind.
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'
import type { ReactNode } from 'react'
import { formatBytes } from '../../format/number.ts'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { FactList, type Facts } from '../../show/facts.tsx'
import { ForeignBlock, ForeignId, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { WebLink } from '../../show/submission.tsx'
import { judgingPath } from '../judge-address.ts'

export function HandedIn({ team, submission }: Pick<DossierReply, 'team' | 'submission'>) {
  if (submission === null)
    return (
      <Card title="Submission">
        <p className="muted">This team has handed in nothing.</p>
      </Card>
    )
  const {
    title,
    summary,
    disclosure,
    late,
    handed_in_at,
    repository,
    commit,
    demo_url,
    video_url,
    files,
    hidden,
  } = submission
  const facts: Facts = [
    ...link('Repository', repository),
    ...(commit === null ? [] : [['Commit', <ForeignId key="commit" text={commit} />] as const]),
    ...link('Demo', demo_url),
    ...link('Video', video_url),
    ...(files.length === 0 ? [] : [['Files', <Files key="files" team={team} files={files} />] as const]),
    ...(disclosure === null
      ? []
      : [['Disclosure', <ForeignBlock key="disclosure" text={disclosure} />] as const]),
  ]
  return (
    <Card
      title="Submission"
      note={
        handed_in_at === null ? undefined : (
          <>
            handed in <Moment at={handed_in_at} />
          </>
        )
      }
      action={late ? <Badge tone="warn">late</Badge> : undefined}
    >
      <div className="stack">
        {title === null ? null : (
          <div className="judge-title">
            <ForeignText text={title} most={200} />
          </div>
        )}
        {summary === null ? null : (
          <div className="entry-prose">
            <ForeignBlock text={summary} />
          </div>
        )}
        <FactList facts={facts} />
        {hidden ? (
          <p className="muted">
            Repository, links and files are hidden, because judging is blind. Names of people and teams are
            replaced.
          </p>
        ) : null}
      </div>
    </Card>
  )
}

function link(name: string, text: string | null): readonly (readonly [string, ReactNode])[] {
  return text === null ? [] : [[name, <WebLink key={name} text={text} />]]
}

function Files({
  team,
  files,
}: {
  readonly team: string
  readonly files: NonNullable<DossierReply['submission']>['files']
}) {
  return (
    <ul>
      {files.map(({ file_id, filename, mime_type, bytes }) => (
        <li key={file_id}>
          <a href={judgingPath('teams', team, 'files', file_id)} download>
            <ForeignText text={filename} most={60} />
          </a>{' '}
          <span className="muted small nowrap">
            {mime_type}, {formatBytes(bytes)}
          </span>
        </li>
      ))}
    </ul>
  )
}
