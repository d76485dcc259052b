// Limits of single keys, which apply in addition to the team's. Changes are previewed.

import type { KeyList, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import { Button } from '@mantine/core'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import type { Column } from '../../../show/data-table.tsx'
import { TableCard } from '../../../show/list.tsx'
import { KeyLimitsDialog } from './key-limits-dialog.tsx'
import { KeyName, toNano } from './keys-card.tsx'

export function KeyLimitsCard({ team }: { readonly team: string }) {
  const read = useRead(
    readOf<KeyList>('/key/list', { team_id: team, return_full_object: true, size: 100, page: 1 }),
  )
  const { search, change } = useAddress()
  return (
    <TableCard
      title="Key limits"
      note="in addition to the team's limits"
      read={read}
      rows={read.data?.keys.filter(key => typeof key === 'object') ?? []}
      what="The keys"
      height={38}
      lines={3}
      none="No keys yet"
      part="key-limits"
      caption="Key limits"
      columns={columns}
      actions={key => (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`Edit… limits of ${key.key_alias || key.key_name}`}
          onClick={() => change({ key: key.token }, true)}
        >
          Edit…
        </Button>
      )}
      idOf={({ token }) => token}
    >
      {search.key === undefined ? null : (
        <KeyLimitsDialog token={search.key} onClose={() => change({ key: undefined })} />
      )}
    </TableCard>
  )
}

const columns: readonly Column<KeyRow>[] = [
  { id: 'key', head: 'Key', cell: row => <KeyName row={row} /> },
  {
    id: 'budget',
    head: 'Budget',
    isEnd: true,
    cell: ({ max_budget: usd }) => (
      <Limit value={usd} format={dollars => formatMoney(toNano(dollars), 'nearest')} />
    ),
  },
  {
    id: 'rpm',
    head: 'Requests/min',
    isEnd: true,
    from: 600,
    cell: ({ rpm_limit }) => <Limit value={rpm_limit} format={formatCount} />,
  },
  {
    id: 'tpm',
    head: 'Tokens/min',
    isEnd: true,
    from: 768,
    cell: ({ tpm_limit }) => <Limit value={tpm_limit} format={formatCount} />,
  },
  {
    id: 'parallel',
    head: 'Parallel calls',
    isEnd: true,
    from: 600,
    cell: ({ max_parallel_requests }) => formatCount(max_parallel_requests),
  },
]

function Limit({
  value,
  format,
}: {
  readonly value: number | null | undefined
  readonly format: (value: number) => string
}) {
  return value === null || value === undefined ? <span className="faint">none</span> : format(value)
}
