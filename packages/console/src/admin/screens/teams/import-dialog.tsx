// Imports teams with their members from a CSV file: what is wrong by line, then what would change, then the change.

import { Alert, FileButton } from '@mantine/core'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { DataTable } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { exampleCsv, readTeamsCsv, type TeamsCsv } from './read-teams-csv.ts'
import { saveFile } from './save-file.ts'

const mostBytes = 4_000_000
const mostProblems = 20

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [read, setRead] = useState<(TeamsCsv & { readonly name: string }) | null>(null)
  const [isSure, setSure] = useState(false)
  const take = async (file: File | null) => {
    if (file === null) return
    const found: TeamsCsv =
      file.size > mostBytes
        ? { file: null, teams: 0, members: 0, problems: [{ line: 1, text: 'The file is larger than 4 MB.' }] }
        : readTeamsCsv(await file.text())
    setRead({ ...found, name: file.name })
    setSure(found.file !== null)
  }
  if (isSure && read !== null && read.file !== null)
    return (
      <ActDialog
        title={`Import ${countOf(read.teams, 'team')} and ${countOf(read.members, 'member')}`}
        request={{ method: 'POST', path: '/event/apply', body: { file: read.file } }}
        verb="Import"
        undo="The same file again changes nothing. Nothing that the file does not name is changed."
        onClose={onClose}
      >
        <p className="muted small">
          From <ForeignText text={read.name} most={60} />. Teams that are there already keep what the file
          does not name.
        </p>
      </ActDialog>
    )
  return (
    <Dialog title="Import teams" size={560} onClose={onClose}>
      <div className="stack">
        <p>
          A CSV file with the column <code>id</code>, and any of <code>name</code>, <code>member</code>,{' '}
          <code>email</code> and <code>budget</code> in dollars. A team with several members has several
          lines. What would change is shown before anything does.
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
            An example
          </IconButton>
        </div>
        {read === null || read.problems.length === 0 ? null : (
          <Alert color="red" role="alert" title={`${countOf(read.problems.length, 'line')} cannot be read`}>
            <p className="small">Nothing was changed. Correct the file, and choose it again.</p>
            <DataTable
              isWhole
              caption="Lines at fault"
              columns={[
                { id: 'line', head: 'Line', cell: ({ line }) => line },
                {
                  id: 'text',
                  head: 'What is wrong',
                  cell: ({ text }) => <ForeignText text={text} most={200} />,
                },
              ]}
              rows={read.problems.slice(0, mostProblems)}
              idOf={({ line }) => String(line)}
            />
            {read.problems.length > mostProblems ? (
              <p className="small">and {countOf(read.problems.length - mostProblems, 'more line')}</p>
            ) : null}
          </Alert>
        )}
      </div>
    </Dialog>
  )
}
