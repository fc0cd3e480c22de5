interface Props {
  /** For tests and tools. */
  name: string;
  label: string;
  value: string;
}

/** One figure of a `<dl class="metrics">`. */
export function Metric({ name, label, value }: Props) {
  return (
    <div>
      <dt>{label}</dt>
      <dd data-metric={name}>{value}</dd>
    </div>
  );
}
