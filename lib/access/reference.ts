import { authPath } from './session-auth.ts'

/** Text about signing in for the API reference; the endpoints for signing in belong to better-auth. */
export const signInReference = `
Users sign up and sign in with the endpoints below \`${authPath}\`, which use the protocol of [better-auth](https://better-auth.com).
Its clients work with \`basePath: "${authPath}"\`. Requests and replies are plain JSON without the envelope of the other endpoints;
errors have \`code\` and \`message\`.

The session cookie is \`__Host-session\`, or \`session\` over plain http, for example on \`localhost\`. It is only accepted from pages
of the service itself; requests with another \`Origin\` get 403. Sign-in attempts are limited to three in ten seconds per IP
address and twenty in 15 minutes per account; further attempts get 429 with \`Retry-After\`. A request with an expired session
gets 401 and the cookie is deleted.
`.trim()
