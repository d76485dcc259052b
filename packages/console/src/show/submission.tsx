// Shows a version of a submission, and the list of versions, for its team and for organisers.
import type { NamedInLog, SubmissionVersion, VersionHead } from '@fairgate/contracts/console/submissions.ts'
import type { ReactNode } from 'react'
import { countOf, formatBytes } from '../format/number.ts'
import { Badge } from './badge.tsx'
import { FactList } from './facts.tsx'
import { ForeignBlock, ForeignId, ForeignText } from './foreign.tsx'
import { Moment } from './moment.tsx'

/** `named`: null if unknown. `fileHref`: the address of a file by its id. */
export function SubmissionFacts({
  shown,
  named,
  fileHref,
}: {
  readonly shown: SubmissionVersion
  readonly named: NamedInLog | null
  readonly fileHref: (fileId: string) => string
}) {
  const { title, summary, repository, commit, demo_url, video_url, disclosure, files } = shown
  return (
    <div className="stack">
      <div className="strong">
        <ForeignText text={title} most={200} />
      </div>
      {summary === null ? null : <ForeignBlock text={summary} />}
      <FactList
        facts={[
          ['Handed in', <HandedIn key="at" head={shown} />],
          ['Repository', repository === null ? none : <WebLink key="repository" text={repository} />],
          ['Commit', commit === null ? none : <ForeignId key="commit" text={commit} />],
          ...(repository === null || named === null
            ? []
            : [['In the log', describeNamed(named, commit)] as const]),
          ['Demo', demo_url === null ? none : <WebLink key="demo" text={demo_url} />],
          ['Video', video_url === null ? none : <WebLink key="video" text={video_url} />],
          ...(disclosure === null
            ? []
            : [['Disclosure', <ForeignBlock key="disclosure" text={disclosure} />] as const]),
          [
            'Files',
            files.length === 0 ? (
              none
            ) : (
              <ul key="files" className="stack">
                {files.map(({ file_id, filename, mime_type, bytes }) => (
                  <li key={file_id}>
                    <a href={fileHref(file_id)} download>
                      <ForeignText text={filename} most={60} />
                    </a>{' '}
                    <span className="muted small nowrap">
                      {mime_type}, {formatBytes(bytes)}
                    </span>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </div>
  )
}

const none = <span className="faint">–</span>

/** A link only if it is an address of the web; anything else is text. */
export function WebLink({ text }: { readonly text: string }) {
  if (!/^https?:\/\//i.test(text)) return <ForeignText text={text} most={200} />
  return (
    <a href={text} rel="noreferrer noopener" target="_blank">
      <ForeignText text={text} most={200} />
    </a>
  )
}

/** A remark, not a verdict: the log may lack what was never pushed. */
function describeNamed(named: NamedInLog, commit: string | null): ReactNode {
  if (named.looked_at === 0) return <span className="muted">the log has no entries</span>
  if (named.repository_entries === 0)
    return <Badge tone="warn">repository not seen in {countOf(named.looked_at, 'entry', 'entries')}</Badge>
  const seen = countOf(named.repository_entries, 'entry', 'entries')
  if (commit === null) return `${seen} of this repository`
  return named.commit_entries === 0 ? (
    <Badge tone="warn">commit not seen, {seen} of this repository</Badge>
  ) : (
    <span>
      {countOf(named.commit_entries, 'entry', 'entries')} at this commit, last{' '}
      <Moment at={named.commit_last_at} />
    </span>
  )
}

function HandedIn({ head: { handed_in_at, person, late } }: { readonly head: VersionHead }) {
  return (
    <span className="row wrap">
      <Moment at={handed_in_at} as="clock" />
      {person === null ? null : (
        <span className="muted">
          by <ForeignText text={person} most={40} />
        </span>
      )}
      {late ? <Badge tone="warn">late</Badge> : null}
    </span>
  )
}

/** All versions, newest first; `open` shows one. */
export function VersionList({
  versions,
  shown,
  open,
}: {
  readonly versions: readonly VersionHead[]
  /** The number of the version that is shown; null for none. */
  readonly shown: number | null
  readonly open: (version: number) => void
}) {
  return (
    <ul className="stack" aria-label="Versions">
      {versions.map(head => (
        <li key={head.version} className="row wrap">
          <button
            type="button"
            className="chip"
            aria-pressed={head.version === shown}
            onClick={() => open(head.version)}
          >
            Version {head.version}
          </button>
          <HandedIn head={head} />
        </li>
      ))}
    </ul>
  )
}
