// Imports teams and members from a CSV file: reports faults by line, then previews the changes, then applies them.

import { Alert, FileButton } from '@mantine/core'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { DataTable } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { exampleCsv, readTeamsCsv, type TeamsCsv } from './read-teams-csv.ts'
import { saveFile } from './save-file.ts'

const maxBytes = 4_000_000
const maxProblems = 20

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [read, setRead] = useState<(TeamsCsv & { readonly name: string }) | null>(null)
  const [isSure, setSure] = useState(false)
  const take = async (file: File | null) => {
    if (file === null) return
    const found: TeamsCsv =
      file.size > maxBytes
        ? { file: null, teams: 0, members: 0, problems: [{ line: 1, text: 'The file is larger than 4 MB.' }] }
        : readTeamsCsv(await file.text())
    setRead({ ...found, name: file.name })
    setSure(found.file !== null)
  }
  if (isSure && read !== null && read.file !== null)
    return (
      <ActionDialog
        title={`Import ${countOf(read.teams, 'team')} and ${countOf(read.members, 'member')}`}
        request={{ method: 'POST', path: '/event/apply', body: { file: read.file } }}
        verb="Import"
        undo="Importing the same file again changes nothing. Teams and fields that are not in the file stay as they are."
        onClose={onClose}
      >
        <p className="muted small">
          From <ForeignText text={read.name} most={60} />. Existing teams keep everything that the file does
          not set.
        </p>
      </ActionDialog>
    )
  return (
    <Dialog title="Import teams" size={560} onClose={onClose}>
      <div className="stack">
        <p>
          Choose a CSV file with the column <code>id</code> and, if you like, any of <code>name</code>,{' '}
          <code>member</code>, <code>email</code> and <code>budget</code> (USD). Use one line per member. You
          will see a preview before anything changes.
        </p>
        <div className="row wrap">
          <FileButton onChange={file => void take(file)} accept=".csv,text/csv,text/plain">
            {props => (
              <IconButton icon={FileUp} variant="filled" {...props} data-autofocus>
                Choose a file
              </IconButton>
            )}
          </FileButton>
          <IconButton icon={Download} onClick={() => saveFile('teams-example.csv', 'text/csv', exampleCsv)}>
            Download an example
          </IconButton>
        </div>
        {read === null || read.problems.length === 0 ? null : (
          <Alert color="red" role="alert" title={`${countOf(read.problems.length, 'line')} with errors`}>
            <p className="small">Nothing was changed. Correct the file and choose it again.</p>
            <DataTable
              isWhole
              caption="Lines with errors"
              columns={[
                { id: 'line', head: 'Line', cell: ({ line }) => line },
                {
                  id: 'text',
                  head: 'Problem',
                  cell: ({ text }) => <ForeignText text={text} most={200} />,
                },
              ]}
              rows={read.problems.slice(0, maxProblems)}
              idOf={({ line }) => String(line)}
            />
            {read.problems.length > maxProblems ? (
              <p className="small">and {countOf(read.problems.length - maxProblems, 'more line')}</p>
            ) : null}
          </Alert>
        )}
      </div>
    </Dialog>
  )
}
