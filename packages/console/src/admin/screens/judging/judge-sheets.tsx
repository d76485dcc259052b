// The claim links that were just made: one printable sheet per judge, and all of them as a list to copy or to save.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Button } from '@mantine/core'
import { Printer, Sheet } from 'lucide-react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { formatClock, formatDay, formatZone } from '../../../format/time.ts'
import { writeCsv } from '../../../format/write-csv.ts'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { QrCode } from '../../../show/qr-code.tsx'
import { Loaded } from '../../../show/states.tsx'
import { useZone } from '../../../show/zone-context.tsx'
import { saveFile } from '../teams/save-file.ts'
import type { MadeLinks } from './judge-links.tsx'

export function JudgeSheets({
  made,
  judges,
  setup,
  onDone,
}: {
  readonly made: MadeLinks
  readonly judges: readonly JudgeItem[]
  readonly setup: JudgingSetup | null
  readonly onDone: () => void
}) {
  const event = useRead(readOf<EventRecord>('/event'))
  const find = (id: string) => judges.find(({ judge_id }) => judge_id === id)
  const save = () =>
    saveFile(
      'judges.csv',
      'text/csv',
      writeCsv([
        ['name', 'email', 'link', 'code', 'expires_at'],
        ...made.map(({ judge_id, name, url, code, expires_at }) => [
          name,
          find(judge_id)?.email ?? null,
          url,
          code,
          expires_at,
        ]),
      ]),
    )
  return (
    <>
      <div className="no-print">
        <div className="notice" data-tone="info">
          <div className="grow">
            <div className="strong">{countOf(made.length, 'claim link')}, shown only once</div>
            Print, copy or save them now. After you leave this page, a judge without a link needs a new one.
          </div>
        </div>
        <div className="row wrap">
          <IconButton icon={Printer} size="xs" variant="filled" onClick={() => print()}>
            Print {countOf(made.length, 'sheet')}
          </IconButton>
          <CopyButton
            text={made.map(({ name, url }) => `${name}\t${url}`).join('\n')}
            label={`Copy ${countOf(made.length, 'link')}`}
          />
          <IconButton icon={Sheet} size="xs" onClick={save}>
            Save as CSV
          </IconButton>
          <Button variant="default" size="xs" onClick={onDone}>
            Done, discard the links
          </Button>
        </div>
      </div>
      <Loaded read={event} what="The event" height={300}>
        {record => (
          <div className="sheets">
            {made.map(link => (
              <JudgeSheet
                key={link.judge_id}
                link={link}
                event={record}
                setup={setup}
                minutes={find(link.judge_id)?.minutes ?? setup?.minutes_per_judge ?? null}
              />
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}

function JudgeSheet({
  link: { name, url, code, expires_at },
  event,
  setup,
  minutes,
}: {
  readonly link: MadeLinks[number]
  readonly event: EventRecord
  readonly setup: JudgingSetup | null
  readonly minutes: number | null
}) {
  const zone = useZone()
  const show = (at: string) => {
    const instant = Date.parse(at)
    return `${formatDay(instant, zone)}, ${formatClock(instant, zone, false)} ${formatZone(zone, instant)}`
  }
  return (
    <article className="sheet" aria-label={`Sheet for ${name}`} data-sheet>
      <header className="row-between">
        <span className="sheet-event">
          <ForeignText text={event.name === '' ? 'Your event' : event.name} most={80} />
        </span>
        <span>Judge</span>
      </header>
      <div className="sheet-join">
        <div>
          <h2>
            <ForeignText text={name} most={80} />
          </h2>
          <p>Scan the QR code, or open this address:</p>
          <p className="sheet-address">{url.split('#')[0]}</p>
          <p>and enter your code</p>
          <p className="sheet-code" data-code>
            {code}
          </p>
        </div>
        <QrCode className="sheet-qr" text={url} label={`QR code with the claim link of ${name}`} />
      </div>
      <ol className="sheet-steps">
        <li>Your page shows which team to read next, and why.</li>
        <li>Read its sessions, and score while you read. Everything is saved as you go.</li>
        <li>When your teams are done, put them in order.</li>
      </ol>
      <dl className="sheet-facts">
        {setup?.opens_at === undefined || setup.opens_at === null ? null : (
          <>
            <dt>Scores from</dt>
            <dd>{show(setup.opens_at)}</dd>
          </>
        )}
        {setup?.closes_at === undefined || setup.closes_at === null ? null : (
          <>
            <dt>Scores until</dt>
            <dd>{show(setup.closes_at)}</dd>
          </>
        )}
        {setup === null || minutes === null ? null : (
          <>
            <dt>Your time</dt>
            <dd>
              {minutes} minutes, about {setup.minutes_per_team} a team
            </dd>
          </>
        )}
      </dl>
      <p className="sheet-small">
        The link works on your phone and your laptop until {show(expires_at)}. Keep it to yourself: anyone
        with it can score in your name. Lost the sheet? An organiser can make a new link, which stops this
        one.
      </p>
    </article>
  )
}
