import { Choice, Switch, YesNo } from './choices.tsx'
import type { ControlProps } from './field-props.ts'
import { Languages } from './languages.tsx'
import { NumberInput, Slider } from './numbers.tsx'
import { Pages } from './pages.tsx'
import { Paper } from './paper.tsx'
import { Color, Multiline, Password, Text } from './texts.tsx'

/** The control that suits an option, as the service says. */
export function Control(props: ControlProps) {
  const { option } = props
  if (option.type === 'boolean')
    return option.default === undefined ? <YesNo {...props} /> : <Switch {...props} />
  // Of colors the words are only some.
  if (option.type === 'enum' && option.widget !== 'color') return <Choice {...props} />
  switch (option.widget) {
    case 'slider':
      return <Slider {...props} bounds={option} />
    case 'color':
      return <Color {...props} />
    case 'password':
      return <Password {...props} />
    case 'languages':
      return <Languages {...props} />
    case 'paper':
      return <Paper {...props} />
    case 'pages':
      return <Pages {...props} />
    case 'multiline':
      return <Multiline {...props} />
    case 'date':
      return <Text {...props} type="date" />
    default:
      // A field of numbers would refuse 0:01 and 500k.
      return option.type === 'string' || option.spelled ? (
        <Text {...props} type="text" />
      ) : (
        <NumberInput {...props} bounds={option} />
      )
  }
}
