// The limits of single keys, on top of those of the team; what would change is shown before it is sent.

import type { KeyList } from '@fairgate/contracts/management/key-bodies.ts'
import { Button } from '@mantine/core'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { KeyLimitsDialog } from './key-limits-dialog.tsx'

const nanoPerDollar = 1_000_000_000

export function KeyLimitsCard({ team }: { readonly team: string }) {
  const read = useRead(
    readOf<KeyList>('/key/list', { team_id: team, return_full_object: true, size: 100, page: 1 }),
  )
  const { search, change } = useAddress()
  return (
    <Card isFlush title="Limits of keys" note="on top of those of the team">
      <Loaded read={read} what="The keys" height={38} lines={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty>The team has no key yet.</Empty>
          ) : (
            <div className="table-frame">
              <table className="table" data-part="key-limits">
                <caption className="hidden-text">Limits of the keys</caption>
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col" className="end">
                      Budget
                    </th>
                    <th scope="col" className="end from-600">
                      Requests /min
                    </th>
                    <th scope="col" className="end from-768">
                      Tokens /min
                    </th>
                    <th scope="col" className="end from-600">
                      At once
                    </th>
                    <th scope="col">
                      <span className="hidden-text">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {keys
                    .filter(key => typeof key === 'object')
                    .map(key => (
                      <tr key={key.token}>
                        <td>
                          {key.key_alias === '' ? null : (
                            <span className="strong">
                              <ForeignText text={key.key_alias} most={40} />{' '}
                            </span>
                          )}
                          <code className="muted">{key.key_name}</code>
                        </td>
                        <td className="end">
                          <Limit>
                            {key.max_budget === null || key.max_budget === undefined
                              ? null
                              : formatMoney(Math.round(key.max_budget * nanoPerDollar), 'nearest')}
                          </Limit>
                        </td>
                        <td className="end from-600">
                          <Limit>{writeCount(key.rpm_limit)}</Limit>
                        </td>
                        <td className="end from-768">
                          <Limit>{writeCount(key.tpm_limit)}</Limit>
                        </td>
                        <td className="end from-600">{formatCount(key.max_parallel_requests)}</td>
                        <td className="end">
                          <Button
                            size="compact-xs"
                            variant="subtle"
                            aria-label={`Edit… limits of ${key.key_alias || key.key_name}`}
                            onClick={() => change({ key: key.token }, true)}
                          >
                            Edit…
                          </Button>
                        </td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {search.key === undefined ? null : (
        <KeyLimitsDialog token={search.key} onClose={() => change({ key: undefined })} />
      )}
    </Card>
  )
}

function Limit({ children }: { readonly children: string | null }) {
  return children === null ? <span className="faint">none</span> : children
}

function writeCount(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : formatCount(value)
}
