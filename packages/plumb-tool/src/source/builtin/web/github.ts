// A page of GitHub that shows a file leads to the file itself.

/** Undefined: it is no such page. The name of a branch may have slashes: where it ends is left to GitHub. */
export const rawGithubUrl = (url: URL): URL | undefined => {
  const [, owner, repository, rest] = /^\/([^/]+)\/([^/]+)\/blob\/(.+)$/.exec(url.pathname) ?? []
  if (url.protocol !== 'https:' || !/^(www\.)?github\.com$/.test(url.hostname) || rest === undefined) return undefined
  return new URL(`https://raw.githubusercontent.com/${owner}/${repository}/${rest}${url.hash}`)
}
