// The team's submission: a form to hand in and to change it, what counts now, and all versions.
import {
  maxSubmissionText,
  maxTitle,
  type OwnSubmission,
  type OwnVersion,
  type UploadedFile,
} from '@fairgate/contracts/console/submissions.ts'
import { Button, CloseButton, FileButton, Textarea } from '@mantine/core'
import { Paperclip } from 'lucide-react'
import { useEffect, useState } from 'react'
import { readOf, useAction, useRead } from '../../api/use-read.ts'
import { formatBytes } from '../../format/number.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Card } from '../../show/card.tsx'
import { Dialog } from '../../show/dialog.tsx'
import { FailureNote } from '../../show/failure-note.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { IconButton } from '../../show/icon-button.tsx'
import { Empty, Loaded } from '../../show/states.tsx'
import { SubmissionFacts, VersionList } from '../../show/submission.tsx'
import { TextField } from '../../show/text-field.tsx'
import { draftOf, isSameDraft, type SubmissionDraft, toHandIn } from '../draft-submission.ts'
import { TimeLeft } from '../parts/submission-card.tsx'
import { useSelf } from '../self-context.tsx'

const path = '/self/submission'
const fileHref = (fileId: string) => `${path}/files/${encodeURIComponent(fileId)}`

export function SubmissionScreen() {
  const { submission } = useSelf()
  const own = useRead(readOf<OwnSubmission>(path), { isOff: submission === null })
  useRefresh('self', [[path]], 1000)
  return (
    <>
      <h1>Submission</h1>
      {submission === null ? (
        <Card isFlush>
          <Empty>This event asks for no submissions.</Empty>
        </Card>
      ) : (
        <Loaded read={own} what="Your submission" height={420}>
          {found => (
            <div className="team-columns">
              {found.open ? <HandInForm own={found} /> : <Closed own={found} />}
              <div className="stack">
                <Current own={found} />
                <Versions own={found} />
              </div>
            </div>
          )}
        </Loaded>
      )}
    </>
  )
}

function Closed({ own: { closed_by } }: { readonly own: OwnSubmission }) {
  return (
    <Card title="Submissions are closed" note={<TimeLeft />}>
      <p>
        {closed_by === 'deadline'
          ? 'The deadline has passed, and late submissions are not accepted.'
          : 'The deadline has passed, and the organisers have closed submissions of your team.'}{' '}
        What your team has handed in stays as it is.
      </p>
    </Card>
  )
}

function Current({ own: { current, named_in_log } }: { readonly own: OwnSubmission }) {
  return (
    <Card title="What counts now" note={current === null ? undefined : `version ${current.version}`}>
      {current === null ? (
        <p className="muted">Your team has handed in nothing yet.</p>
      ) : (
        <SubmissionFacts shown={current} named={named_in_log} fileHref={fileHref} />
      )}
    </Card>
  )
}

function Versions({ own: { versions } }: { readonly own: OwnSubmission }) {
  const [opened, setOpened] = useState<number | null>(null)
  const version = useRead(readOf<OwnVersion>(`${path}/versions/${opened ?? 0}`), { isOff: opened === null })
  if (versions.length === 0) return null
  return (
    <Card title="Versions" note="all are kept; the newest counts">
      <VersionList versions={versions} shown={opened} open={setOpened} />
      {opened === null ? null : (
        <Dialog title={`Version ${opened}`} onClose={() => setOpened(null)} size={560}>
          <Loaded read={version} what="This version" height={200}>
            {shown => <SubmissionFacts shown={shown} named={null} fileHref={fileHref} />}
          </Loaded>
        </Dialog>
      )}
    </Card>
  )
}

/** What the form was filled from. Someone else's newer version replaces an untouched form, and never a changed one. */
type Basis = { readonly version: number; readonly draft: SubmissionDraft }

function HandInForm({ own }: { readonly own: OwnSubmission }) {
  const basisOf = (): Basis => ({ version: own.current?.version ?? 0, draft: draftOf(own.current) })
  const [basis, setBasis] = useState(basisOf)
  const [draft, setDraft] = useState(basis.draft)
  const send = useAction<object, OwnSubmission>({
    method: 'PUT',
    path,
    changes: [path, '/self'],
    done: 'Handed in',
  })
  const newest = own.current?.version ?? 0
  const isTouched = !isSameDraft(draft, basis.draft)
  const startAgain = () => {
    const next = basisOf()
    setBasis(next)
    setDraft(next.draft)
    send.reset()
  }
  useEffect(() => {
    if (newest > basis.version && !isTouched) startAgain()
  })
  const set = (change: Partial<SubmissionDraft>) => setDraft({ ...draft, ...change })
  const handIn = () =>
    send.mutate(toHandIn(draft, basis.version), {
      onSuccess: ({ current }) => {
        const next = { version: current?.version ?? 0, draft: draftOf(current) }
        setBasis(next)
        setDraft(next.draft)
      },
    })
  const errorOf = (name: string) =>
    send.error?.param === name && send.error.code === 'invalid_request' ? send.error.message : undefined
  const field = (name: Exclude<keyof SubmissionDraft, 'files'>) => ({
    value: draft[name],
    error: errorOf(name),
    onChange: (text: string) => set({ [name]: text }),
  })
  const area = (name: 'summary' | 'disclosure') => {
    const { onChange, ...others } = field(name)
    return {
      ...others,
      autosize: true,
      maxLength: maxSubmissionText,
      onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
        onChange(event.currentTarget.value),
    }
  }
  const isAtField = ['title', 'summary', 'repository', 'commit', 'demo_url', 'video_url', 'disclosure'].some(
    name => errorOf(name) !== undefined,
  )
  return (
    <Card title={newest === 0 ? 'Hand in' : 'Change and hand in again'} note={<TimeLeft />}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          handIn()
        }}
      >
        {newest > basis.version && isTouched ? (
          <div className="notice wrap" data-tone="warn" role="status">
            <span>
              {own.current?.person ?? 'Someone of your team'} handed in version {newest} while you were
              editing. Compare it with yours under “What counts now”.
            </span>
            <span className="row wrap">
              <Button size="xs" variant="default" onClick={() => setBasis({ ...basis, version: newest })}>
                Keep my text
              </Button>
              <Button size="xs" variant="default" onClick={startAgain}>
                Take theirs
              </Button>
            </span>
          </div>
        ) : null}
        <TextField label="Title" required maxLength={maxTitle} {...field('title')} />
        <Textarea label="Summary" minRows={4} maxRows={14} {...area('summary')} />
        <TextField
          label="Repository"
          placeholder="https://github.com/owner/name"
          maxLength={512}
          {...field('repository')}
        />
        <TextField
          label="Commit"
          description="Which one to look at: git rev-parse HEAD"
          maxLength={64}
          {...field('commit')}
        />
        <TextField label="Demo" placeholder="https://…" maxLength={2000} {...field('demo_url')} />
        <TextField label="Video" placeholder="https://…" maxLength={2000} {...field('video_url')} />
        {own.disclosure === null ? null : (
          <Textarea
            label="Disclosure"
            description={<ForeignText text={own.disclosure} most={1000} />}
            required
            minRows={2}
            maxRows={10}
            {...area('disclosure')}
          />
        )}
        {own.max_files === 0 ? null : (
          <Files draft={draft} most={own.max_files} onChange={files => set({ files })} />
        )}
        <FailureNote text={isAtField ? undefined : send.error?.message} />
        <div className="row-between wrap">
          <span className="small muted">Everyone in your team can change it. All versions are kept.</span>
          <Button type="submit" loading={send.isPending} disabled={draft.title.trim() === '' || !isTouched}>
            {newest === 0 ? 'Hand in' : `Hand in version ${newest + 1}`}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Files({
  draft: { files },
  most,
  onChange,
}: {
  readonly draft: SubmissionDraft
  readonly most: number
  readonly onChange: (files: SubmissionDraft['files']) => void
}) {
  const upload = useAction<File, UploadedFile>({
    method: 'POST',
    path: `${path}/files`,
    query: file => ({ filename: file.name }),
    changes: [],
  })
  const add = (file: File | null) => {
    if (file !== null) upload.mutate(file, { onSuccess: added => onChange([...files, added]) })
  }
  return (
    <div className="stack">
      <span className="row-between wrap">
        <span className="strong small">
          Files, {files.length} of {most}
        </span>
        <FileButton onChange={add}>
          {({ onClick }) => (
            <IconButton
              icon={Paperclip}
              size="xs"
              onClick={onClick}
              loading={upload.isPending}
              disabled={files.length >= most}
            >
              Add a file
            </IconButton>
          )}
        </FileButton>
      </span>
      {files.map(({ file_id, filename, bytes }) => (
        <span key={file_id} className="row-between">
          <span className="cut">
            <ForeignText text={filename} most={60} />{' '}
            <span className="muted small nowrap">{formatBytes(bytes)}</span>
          </span>
          <CloseButton
            aria-label={`Remove ${filename}`}
            onClick={() => onChange(files.filter(file => file.file_id !== file_id))}
          />
        </span>
      ))}
      <FailureNote text={upload.error?.message} />
    </div>
  )
}
