// Reads `a,b,c`: names separated by commas.
import { InvalidArgumentError } from 'commander'

/** Throws InvalidArgumentError when a name is empty. */
export function parseList(text: string): string[] {
  const names = text.split(',').map(name => name.trim())
  if (!names.includes('')) return names
  throw new InvalidArgumentError('Write names separated by commas, such as mm-2.5-flash,mm-2.5-pro.')
}
