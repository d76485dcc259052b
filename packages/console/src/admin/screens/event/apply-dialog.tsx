// Applies a file that describes the whole event: choose it, review the plan, then apply.

import type { ApplyReply } from '@fairgate/contracts/management/event-file.ts'
import { Button, FileButton, Switch, Table } from '@mantine/core'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { writeCsv } from '../../../format/write-csv.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { saveFile } from '../teams/save-file.ts'

export function ApplyDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<{ readonly name: string; readonly text: string } | null>(null)
  const [isPruning, setPruning] = useState(false)
  const [secrets, setSecrets] = useState<ApplyReply['secrets']>([])
  if (secrets.length > 0) return <MadeKeys keys={secrets} onClose={onClose} />
  return (
    <ActionDialog
      title="Apply event file"
      request={{
        method: 'POST',
        path: '/event/apply',
        body: file === null ? null : { file: file.text, prune: isPruning },
      }}
      verb="Apply file"
      isDanger={isPruning}
      onDone={reply => setSecrets((reply as ApplyReply).secrets)}
      onClose={onClose}
      staysOpen={reply => (reply as ApplyReply).secrets.length > 0}
    >
      <p className="muted">
        The file describes the event, its phases, limits, teams and members. Anything it does not mention
        stays as it is.
      </p>
      <div className="row wrap">
        <FileButton
          accept=".yaml,.yml,text/yaml,application/yaml"
          onChange={chosen => {
            void chosen?.text().then(text => setFile({ name: chosen.name, text }))
          }}
        >
          {props => (
            <Button variant="default" {...props} data-autofocus>
              Choose a file
            </Button>
          )}
        </FileButton>
        {file === null ? null : (
          <span className="row">
            <ForeignText text={file.name} most={60} />
            <CopyButton text={file.text} isIcon label="Copy file contents" />
          </span>
        )}
      </div>
      <Switch
        label="Remove what the file does not mention"
        description="Blocks teams, deletes phases and limits"
        checked={isPruning}
        onChange={change => setPruning(change.currentTarget.checked)}
      />
    </ActionDialog>
  )
}

/** New member keys, shown once so that they can be saved as a file. Handouts are the other way to give people access. */
function MadeKeys({ keys, onClose }: { readonly keys: ApplyReply['secrets']; readonly onClose: () => void }) {
  const [isSaved, setSaved] = useState(false)
  const csv = writeCsv([
    ['team', 'member', 'alias', 'key'],
    ...keys.map(({ team_id, member, alias, key }) => [team_id, member, alias, key]),
  ])
  return (
    <Dialog title={countOf(keys.length, 'new key')} size={760} onClose={onClose} isKept>
      <div className="stack">
        <p>
          Save these keys now: the server keeps only their digests. If you lose them, <b>Handouts</b> gives
          each team a link where its members get their own keys.
        </p>
        <Table.ScrollContainer minWidth={560} maxHeight={360}>
          <Table
            striped
            data={{
              head: ['Team', 'Member', 'Alias', 'Key'],
              body: keys.map(({ team_id, member, alias, key }) => [
                <ForeignText key="team" text={team_id} most={40} />,
                <ForeignText key="member" text={member} most={40} />,
                <ForeignText key="alias" text={alias} most={40} />,
                <code key="key" data-secret>
                  {key}
                </code>,
              ]),
            }}
          />
        </Table.ScrollContainer>
        <div className="row wrap">
          <Button
            onClick={() => {
              saveFile('keys.csv', 'text/csv', csv)
              setSaved(true)
            }}
          >
            Download as CSV
          </Button>
          <CopyButton text={csv} label="Copy as CSV" />
          <Button variant="default" onClick={onClose}>
            {isSaved ? 'Done' : 'I saved the keys'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
