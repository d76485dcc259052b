// Imports judges from a spreadsheet: dropped, chosen or pasted, with a preview before anything changes.
import { FileButton, Textarea } from '@mantine/core'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { FailureNote } from '../../../show/failure-note.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { saveFile } from '../teams/save-file.ts'

/** As the server accepts it, in characters. */
const maxLength = 1_000_000
const example =
  'name,email,tags,tracks,minutes\r\nMira Lang,mira@example.com,Harbour College; Tide Ltd,,90\r\n'

export function ImportJudges({ onClose }: { readonly onClose: () => void }) {
  const [csv, setCsv] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isOver, setOver] = useState(false)
  const take = async (file: File | null | undefined) => {
    if (file === null || file === undefined) return
    const text = await file.text()
    setFault(text.length > maxLength ? 'The file is larger than 1 MB.' : null)
    if (text.length <= maxLength) setCsv(text)
  }
  return (
    <ActionDialog
      title="Import judges"
      request={{
        method: 'POST',
        path: '/judging/judges',
        body: csv.trim() === '' ? null : { csv: toCsv(csv) },
      }}
      verb="Import"
      asksReason={false}
      undo="Importing a corrected list again changes the judges of the same name, and removes no one."
      describe={({ subject, what, to }) => (
        <>
          <ForeignText text={subject} most={60} className="strong" />{' '}
          <span className="muted">
            {what === 'judge' ? (
              'is added'
            ) : (
              <>
                {what}: <ForeignText text={to === null || to === '' ? 'none' : String(to)} most={80} />
              </>
            )}
          </span>
        </>
      )}
      onClose={onClose}
    >
      <p>
        A CSV file with the column <code>name</code> and, if you like, <code>email</code>, <code>tags</code>{' '}
        (schools and companies), <code>tracks</code> and <code>minutes</code>. Several tags or tracks are
        separated by semicolons. Nothing is sent to the judges.
      </p>
      <div className="row wrap">
        <FileButton onChange={file => void take(file)} accept=".csv,text/csv,text/plain">
          {props => (
            <IconButton icon={FileUp} {...props}>
              Choose a file
            </IconButton>
          )}
        </FileButton>
        <IconButton icon={Download} onClick={() => saveFile('judges-example.csv', 'text/csv', example)}>
          Download an example
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button above. */}
      <div
        data-over={isOver}
        className="drop-zone"
        onDragOver={event => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={event => {
          event.preventDefault()
          setOver(false)
          void take(event.dataTransfer.files[0])
        }}
      >
        <Textarea
          label="Or drop a file here, or paste the lines"
          autosize
          minRows={4}
          maxRows={10}
          maxLength={maxLength}
          placeholder={'name,email,tags\nMira Lang,mira@example.com,Harbour College'}
          value={csv}
          onChange={event => setCsv(event.currentTarget.value)}
        />
      </div>
      <FailureNote text={fault} />
    </ActionDialog>
  )
}

/** Cells that were copied out of a spreadsheet are separated by tabs. */
function toCsv(text: string): string {
  const first = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  if (!first.includes('\t')) return text
  const quote = (cell: string) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return text
    .split(/\r?\n/)
    .map(line => line.split('\t').map(quote).join(','))
    .join('\n')
}
