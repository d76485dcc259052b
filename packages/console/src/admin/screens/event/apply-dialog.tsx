// Applies a file that describes the whole event: chosen, looked at as a plan, and only then done.

import type { ApplyReply } from '@fairgate/contracts/management/event-file.ts'
import { Button, FileButton, Switch } from '@mantine/core'
import { useState } from 'react'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'

export function ApplyDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<{ readonly name: string; readonly text: string } | null>(null)
  const [isPruning, setPruning] = useState(false)
  const [secrets, setSecrets] = useState<ApplyReply['secrets']>([])
  if (secrets.length > 0)
    return (
      <SecretOnce
        title="Keys that were made"
        secret={secrets
          .map(({ team_id, member, alias, key }) => `${team_id}\t${member}\t${alias}\t${key}`)
          .join('\n')}
        onClose={onClose}
      >
        <p>Team, member, alias and key, one a line.</p>
      </SecretOnce>
    )
  return (
    <ActDialog
      title="Apply a file"
      request={{
        method: 'POST',
        path: '/event/apply',
        body: file === null ? null : { file: file.text, prune: isPruning },
      }}
      verb="Apply the file"
      isDanger={isPruning}
      onDone={reply => setSecrets((reply as ApplyReply).secrets)}
      onClose={onClose}
      staysOpen={reply => (reply as ApplyReply).secrets.length > 0}
    >
      <p className="muted">
        The file names the event, its phases, limits, teams and members. What it does not name stays as it is.
      </p>
      <div className="row wrap">
        <FileButton
          accept=".yaml,.yml,text/yaml,application/yaml"
          onChange={chosen => {
            void chosen?.text().then(text => setFile({ name: chosen.name, text }))
          }}
        >
          {props => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        {file === null ? null : (
          <span className="row">
            <ForeignText text={file.name} most={60} />
            <CopyButton text={file.text} isIcon label="Copy its text" />
          </span>
        )}
      </div>
      <Switch
        label="Take away what it does not name"
        description="Teams are then blocked, phases and limits removed"
        checked={isPruning}
        onChange={change => setPruning(change.currentTarget.checked)}
      />
    </ActDialog>
  )
}
