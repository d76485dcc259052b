// Form that answers a question, to the team that asked or to all teams.

import type { QuestionReply } from '@fairgate/contracts/console/questions.ts'
import { Button, SegmentedControl, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { FailureNote } from '../../../show/failure-note.tsx'
import { ForeignText } from '../../../show/foreign.tsx'

export function AnswerForm({ questionId, team }: { readonly questionId: string; readonly team: string }) {
  const [text, setText] = useState('')
  const [audience, setAudience] = useState('team')
  const answer = useAction<object, QuestionReply>({
    done: 'Answer sent',
    method: 'POST',
    path: `/questions/${encodeURIComponent(questionId)}/answer`,
    changes: ['/questions', '/announcements', '/attention'],
  })
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        if (text.trim() !== '') answer.mutate({ text: text.trim(), audience })
      }}
    >
      <Textarea
        aria-label={`Answer to ${team}`}
        placeholder="Answer"
        autosize
        minRows={2}
        maxLength={500}
        value={text}
        // A single line, because an answer to all becomes an announcement.
        onChange={event => setText(event.currentTarget.value.replaceAll(/\s*\n\s*/g, ' '))}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
      />
      <FailureNote text={answer.error?.message} />
      <div className="row-between wrap">
        <SegmentedControl
          size="xs"
          aria-label="Audience"
          value={audience}
          onChange={setAudience}
          data={[
            { value: 'team', label: 'This team' },
            { value: 'all', label: 'All teams' },
          ]}
        />
        <Button type="submit" loading={answer.isPending} disabled={text.trim() === ''}>
          <span>Answer {audience === 'all' ? 'all teams' : <ForeignText text={team} most={24} />}</span>
        </Button>
      </div>
    </form>
  )
}
