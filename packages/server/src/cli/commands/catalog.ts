// `fairgate catalog …`: lists models and prices, and reloads their file.
import {
  type CatalogModelRecord,
  type CatalogReload,
  catalogReloadSchema,
  catalogSchema,
} from '@fairgate/contracts/management/catalog.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Command } from 'commander'
import { describePreview, dryRunOption, reasonOption } from '../actions.ts'
import { addCommand, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { formatQuery } from '../door/call-admin-door.ts'
import { absent, formatItems, formatList } from '../output/format.ts'

const help = `
Examples:
  $ fairgate catalog list
  $ fairgate catalog reload`

export function addCatalogCommands(program: Command, context: CommandContext): void {
  const { show } = context
  const group = program
    .command('catalog')
    .description('list models and reload the catalog')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'list',
    description: 'list models with their prices, limits and upstream',
    request: () => ({ get: '/catalog' }),
    reply: catalogSchema,
    list: 'models',
    describe: ({ models }) =>
      formatItems(models, 'No models.', {
        MODEL: 'id',
        KIND: 'modality',
        'UPSTREAM ID': 'upstream_id',
        RPM: 'rpm_limit',
        TPM: 'tpm_limit',
        RETIRES: 'retires_on',
        'USD PER MILLION TOKENS, OR PER ITEM': describePrices,
      }),
  })
  addCommand(
    group,
    {
      verb: 'reload',
      description: 'reload the file of models without dropping a request; a faulty file changes nothing',
      options: [reasonOption, dryRunOption],
    },
    async fields => {
      // This route has no body: the fields of the action are in its address.
      const request = { post: `/catalog/reload${formatQuery(fields)}`, body: {} }
      if (fields.dry_run === true)
        return await show(request, previewReplySchema, preview => describePreview(preview))
      await show(request, catalogReloadSchema, describeReload)
    },
  )
}

function describePrices({ price, price_above: above }: CatalogModelRecord): string {
  const tiers = Object.entries(above).map(
    ([tokens, prices]) => `above ${tokens} tokens: ${listPrices(prices)}`,
  )
  return [listPrices(price), ...tiers].join('; ')
}

/** Leaves out media in the input that cost the same as text, and reasoning that costs the same as output. */
function listPrices(price: Readonly<Record<string, number>>): string {
  const shown = Object.entries(price).filter(([member, amount]) => {
    if (member.startsWith('input_')) return amount !== price.input
    return member !== 'reasoning' || amount !== price.output
  })
  return shown.map(([member, amount]) => `${member} ${amount}`).join(', ')
}

function describeReload(reload: CatalogReload): string {
  const { models, added, removed, changed, warnings } = reload
  const lines = [`Reloaded the catalog: ${models} models.`]
  if (added.length + removed.length + changed.length === 0) lines.push('No changes.')
  if (added.length > 0) lines.push(`new: ${formatList(added, absent)}`)
  if (removed.length > 0) lines.push(`removed: ${formatList(removed, absent)}`)
  for (const id of changed) lines.push(`changed: ${id}: ${describeMembers(reload, id)}`)
  for (const { team_id: team, key, member, models: names } of warnings) {
    const owner = key === null ? `the team ${team}` : `the key ${key.slice(0, 16)} of ${team}`
    lines.push(`warning: ${member} of ${owner} names unknown models: ${names.join(', ')}`)
  }
  return lines.join('\n')
}

function describeMembers({ before, after }: CatalogReload, id: string): string {
  const [from, to] = [Object(before[id]), Object(after[id])]
  return Object.keys(to)
    .map(member => `${member} ${JSON.stringify(from[member])} → ${JSON.stringify(to[member])}`)
    .join('; ')
}
