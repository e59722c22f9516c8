import { useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import { go, type Whereabouts } from '../../shell/router.ts'
import { Act, Block, Field, Form, Page } from '../../ui/components.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import { auth, type Options } from './auth.ts'
import words from './words/en.ts'

interface Entered {
  readonly onIn: () => Promise<unknown>
}

/** For who is not signed in: the way in, or a new password by the letter's link. */
export function WaysIn({ at, onIn }: Entered & { readonly at: Whereabouts }) {
  const token = at.query.get('token')
  const [step, setStep] = useState<'in' | 'up' | 'forgot' | 'factor'>('in')
  const [told, setTold] = useState<string>()
  const tell = (text: string) => {
    setTold(text)
    announce(text)
  }
  if (token) return <NewPassword token={token} />
  return (
    <Page title={step === 'up' ? words.signUp : words.signIn} lead={words.whyAccount}>
      {told && <p class="notice">{told}</p>}
      {step === 'in' && <SignIn onIn={onIn} onFactor={() => setStep('factor')} />}
      {step === 'factor' && <SecondFactor onIn={onIn} />}
      {step === 'up' && <SignUp onIn={onIn} onLetter={() => tell(words.letterSent)} />}
      {step === 'forgot' && <Forgot onSent={() => tell(words.resetSent)} />}
      <p class="row">
        {step !== 'in' && (
          <button type="button" class="link" onClick={() => setStep('in')}>
            {words.signIn}
          </button>
        )}
        {step !== 'up' && (
          <button type="button" class="link" onClick={() => setStep('up')}>
            {words.signUp}
          </button>
        )}
        {step !== 'forgot' && (
          <button type="button" class="link" onClick={() => setStep('forgot')}>
            {words.forgot}
          </button>
        )}
      </p>
    </Page>
  )
}

const Email = () => (
  <Field label={words.email}>
    {(ids) => <input {...ids} name="email" type="email" required autocomplete="username" />}
  </Field>
)

const Password = (props: { readonly label: string; readonly isNew?: boolean; readonly name?: string }) => (
  <Field label={props.label} hint={props.isNew ? words.passwordHint : undefined}>
    {(ids) => (
      <input
        {...ids}
        name={props.name ?? 'password'}
        type="password"
        required
        minLength={props.isNew ? 10 : undefined}
        autocomplete={props.isNew ? 'new-password' : 'current-password'}
      />
    )}
  </Field>
)

function SignIn({ onIn, onFactor }: Entered & { readonly onFactor: () => void }) {
  const options = useLoaded('auth options', () => auth<Options>('options', undefined, 'GET'))
  const enter = async (given: FormData) => {
    const { twoFactorRedirect } = await auth<{ twoFactorRedirect?: boolean }>('sign-in/email', {
      email: given.get('email'),
      password: given.get('password'),
    })
    if (twoFactorRedirect) onFactor()
    else await onIn()
  }
  return (
    <>
      <Form submit={words.signIn} does={enter}>
        <Email />
        <Password label={words.password} />
      </Form>
      {options.data?.providers.map(({ id, name }) => (
        <Act
          key={id}
          label={words.signInBy(name)}
          does={async () => {
            const { url } = await auth<{ url: string }>('sign-in/social', {
              provider: id,
              callbackURL: '/account',
            })
            location.assign(url)
          }}
        />
      ))}
    </>
  )
}

function SecondFactor({ onIn }: Entered) {
  const enter = async (given: FormData) => {
    const code = String(given.get('code')).replace(/\s/g, '')
    const isTotp = /^\d{6}$/.test(code)
    await auth(isTotp ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code', { code })
    await onIn()
  }
  return (
    <Form submit={words.signIn} does={enter}>
      <Field label={words.code} hint={words.codeHint}>
        {(ids) => <input {...ids} name="code" type="text" required autocomplete="one-time-code" />}
      </Field>
    </Form>
  )
}

function SignUp({ onIn, onLetter }: Entered & { readonly onLetter: () => void }) {
  const enter = async (given: FormData) => {
    const { token } = await auth<{ token: string | null }>('sign-up/email', {
      ...{ name: given.get('name'), email: given.get('email'), password: given.get('password') },
      callbackURL: '/account',
    })
    if (token) await onIn()
    else onLetter()
  }
  return (
    <Form submit={words.signUp} does={enter}>
      <Field label={words.name}>
        {(ids) => <input {...ids} name="name" type="text" required autocomplete="name" />}
      </Field>
      <Email />
      <Password label={words.password} isNew />
    </Form>
  )
}

function Forgot({ onSent }: { readonly onSent: () => void }) {
  const enter = async (given: FormData) => {
    await auth('request-password-reset', { email: given.get('email'), redirectTo: '/account' })
    onSent()
  }
  return (
    <Form submit={words.sendLetter} does={enter}>
      <Email />
    </Form>
  )
}

function NewPassword({ token }: { readonly token: string }) {
  const enter = async (given: FormData) => {
    await auth('reset-password', { newPassword: given.get('password'), token })
    announce(words.passwordChanged)
    go('/account', { replace: true })
  }
  return (
    <Page title={words.newPassword}>
      <Form submit={words.changePassword} does={enter}>
        <Password label={words.newPassword} isNew />
      </Form>
    </Page>
  )
}

/** For who is signed in. */
export function ChangePassword() {
  const change = async (given: FormData) => {
    await auth('change-password', {
      currentPassword: given.get('current'),
      newPassword: given.get('next'),
      revokeOtherSessions: true,
    })
    announce(words.passwordChanged)
  }
  return (
    <Block title={words.changePassword}>
      <Form submit={words.changePassword} does={change} isQuiet>
        <Password label={words.currentPassword} name="current" />
        <Password label={words.newPassword} name="next" isNew />
      </Form>
    </Block>
  )
}
