// The name of a repository is the end of its origin's address (spec 2.10); nothing else of the address may leave the machine.

/** `git@host:team/project.git` → `project`. Never holds a user name or a token of the address. */
export function repositoryName(originUrl: string): string {
  const address = originUrl.trim().replace(/[/\\]+$/, '')
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address)
  const path = isUrl ? address.replace(/^[^:]+:\/\/[^/]*/, '') : address.replace(/^[^/\\:]{2,}:/, '')
  const last = path.split(/[/\\]/).findLast(segment => segment !== '')
  const name = last ?? address.replace(/^[^:]+:\/\//, '').replace(/^.*@/, '')
  return name === '.git' ? '.git' : name.replace(/\.git$/, '')
}
