/** What each warning of the service means, by its code. In English, the service's own sentence says more. */
const warnings: Readonly<Record<string, string>> = {}

export default warnings
