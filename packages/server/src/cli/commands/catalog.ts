// `fairgate catalog …`: shows the models and their prices, and reads their file again.
import { catalogReloadSchema, catalogSchema } from '@fairgate/contracts/management/catalog.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { describeCatalog, describeReload } from '../output/describe-catalog.ts'

const help = `
Examples:
  $ fairgate catalog list
  $ fairgate catalog reload`

export function addCatalogCommands(program: Command, { show }: CommandContext): void {
  const group = program.command('catalog').description('models and their prices').addHelpText('after', help)
  group
    .command('list')
    .description('all models with their prices, limits and upstream')
    .action(() => show({ get: '/catalog' }, catalogSchema, describeCatalog))
  group
    .command('reload')
    .description('read the file of models again, without dropping a request; a faulty one changes nothing')
    .action(() => show({ post: '/catalog/reload', body: {} }, catalogReloadSchema, describeReload))
}
