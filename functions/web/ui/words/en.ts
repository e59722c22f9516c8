/** Texts of the shared components. */
export default {
  signIn: 'Sign in',
  signInFirst: 'Sign in to see this.',
  retry: 'Try again',
  loading: 'Loading…',
  keep: 'Cancel',
  copy: 'Copy',
  copied: 'Copied.',
  /** Plans by id; an operator may define others. */
  plans: { 'self-hosted': 'Self-hosted' } as Readonly<Record<string, string>>,
}
