import { Choice, Switch, YesNo } from './choices.tsx'
import type { ControlProps } from './field-props.ts'
import { Languages } from './languages.tsx'
import { NumberInput, Slider } from './numbers.tsx'
import { Pages } from './pages.tsx'
import { Paper } from './paper.tsx'
import { SizeInput } from './size-input.tsx'
import { Color, Multiline, Password, Text } from './texts.tsx'

/** The control for an option, chosen by its type and widget. */
export function Control(props: ControlProps) {
  const { option } = props
  if (option.type === 'boolean')
    return option.default === undefined ? <YesNo {...props} /> : <Switch {...props} />
  // For colors, the enum is only a list of suggestions.
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
    case 'size':
      return option.type === 'integer' ? <SizeInput {...props} /> : <Text {...props} type="text" />
    case 'date':
      return <Text {...props} type="date" />
    default:
      // Number fields would reject values such as 0:01 and 500k.
      return option.type === 'string' || option.spelled ? (
        <Text {...props} type="text" />
      ) : (
        <NumberInput {...props} bounds={option} />
      )
  }
}
