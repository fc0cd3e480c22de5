import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const SendIcon = () => (
  <Icon>
    <path d="M12 19V5M5.5 11.5 12 5l6.5 6.5" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <rect class="solid" x="6" y="6" width="12" height="12" rx="2.5" />
  </Icon>
);

export const NewChatIcon = () => (
  <Icon>
    <path d="M19.5 12.5V18a2.5 2.5 0 0 1-2.5 2.5H6A2.5 2.5 0 0 1 3.5 18V7A2.5 2.5 0 0 1 6 4.5h5.5" />
    <path d="m10 14 .6-2.9 8-8 2.3 2.3-8 8Z" />
  </Icon>
);

export const TimingIcon = () => (
  <Icon>
    <path d="M3.5 6h7M7 12h9M13 18h7.5" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M12 5v14M5.5 12.5 12 19l6.5-6.5" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="m6 6 12 12M18 6 6 18" />
  </Icon>
);

export const SunIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  </Icon>
);

export const MoonIcon = () => (
  <Icon>
    <path d="M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2Z" />
  </Icon>
);

/** The sun over the horizon. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path class="sun" d="M6 21a10 10 0 0 1 20 0Z" />
    <path class="line" d="M2 21h28M8 26h16" />
  </svg>
);
