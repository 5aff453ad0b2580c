"""Where something was said: the digest in whose thread, who reads along, and what a handler may work with there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.conversing.audience import Audience, Membership, of_channel, of_direct
from bot.conversing.manners import Setting
from bot.dispatch import Chat, Context, Subject, categories, reaching
from bot.models import Exclusion
from bot.periods import last_week
from bot.ports import ChatPlatform, Incoming
from bot.store.deliveries import Delivery
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from bot.subscriptions import calendar_of
from bot.team import Team, may_show

_DEFAULT_COMMAND = "/digest"


@dataclass(frozen=True)
class Scene:
    """What is known of where something was said.

    `digest` is the one in whose thread it was said, None elsewhere; `external` as in `bot.ports.Incoming`.
    """

    incoming: Incoming
    digest: Delivery | None
    audience: Audience
    external: bool | None

    @property
    def subscription(self) -> Subscription | None:
        """The subscription whose digest it is; None where there is none, or none any more."""
        wanted = None if self.digest is None else self.digest.subscription
        return next((one for one in self.audience.subscriptions if one.id == wanted), None)

    def subscriptions_to(self, repository: str) -> tuple[Subscription, ...]:
        """The subscriptions that a repository is read by here: that of the digest where it holds it, else all."""
        if self.subscription is not None and repository in self.subscription.repositories:
            return (self.subscription,)
        return tuple(one for one in self.audience.subscriptions if repository in one.repositories)


@dataclass(frozen=True)
class Surroundings:
    """What the bot runs among.

    `catalogue` holds the configured repositories in their order, `commands` the slash command of each platform where it
    is not /digest. `now` gives an aware instant.
    """

    store: Store
    catalogue: Mapping[str, Subject]
    team: Team
    platforms: Mapping[str, ChatPlatform]
    now: Callable[[], datetime]
    commands: Mapping[str, str] = field(default_factory=dict)

    def digest(self, incoming: Incoming) -> Delivery | None:
        """The digest in whose thread something was said, or on whose root a button was pressed."""
        root = incoming.thread or (incoming.message if incoming.private else None)
        return None if root is None else self.store.ledger().posted_at(incoming.platform, incoming.channel, root)

    def scene(self, incoming: Incoming, digest: Delivery | None) -> Scene:
        """Who reads along, and what may be spoken of."""
        visibility = self.team.repositories
        if incoming.direct:
            audience = of_direct(self._memberships(incoming), visibility, external=incoming.external)
            return Scene(incoming, digest, audience, incoming.external)
        external = self._noted(incoming)
        subscriptions = self.store.subscriptions().of(incoming.platform, incoming.channel)
        return Scene(incoming, digest, of_channel(subscriptions, visibility, external=external), external)

    def setting(self, scene: Scene, context: Context) -> Setting:
        """What the manners need to know."""
        return Setting(
            in_digest=scene.digest is not None,
            # The subscription may be gone while its digests still stand: then nobody asks the bot to listen there.
            listen="mention" if scene.subscription is None else scene.subscription.listen,
            command=context.command,
            categories=categories(context),
            repositories=scene.audience.repositories,
        )

    def context(self, scene: Scene) -> Context:
        """What a handler may work with: the repositories seen here, the digest's period or the last whole week."""
        incoming, platform, now = scene.incoming, self.platforms[scene.incoming.platform], self.now()
        zone = next((one.timezone for one in scene.audience.subscriptions), self.team.timezone)
        return Context(
            self.store,
            {name: self._subject(name, scene) for name in scene.audience.repositories},
            last_week(now, zone) if scene.digest is None else scene.digest.period,
            now,
            self.commands.get(incoming.platform, _DEFAULT_COMMAND),
            is_admin=f"{incoming.platform}:{incoming.user}" in self.team.admins,
            chat=Chat(
                *(incoming.platform, incoming.channel, incoming.user, incoming.thread, incoming.message),
                *(platform.post, platform.permalink, scene.external, incoming.direct),
            ),
            team=self.team,
        )

    def context_of_one(self, scene: Scene, context: Context, digest: Delivery | None, subject: Subject) -> Context:
        """The context of one repository: the digest's period or its own last week, and how far its history reaches."""
        zones = (one.timezone for one in scene.subscriptions_to(subject.name))
        usual = last_week(context.now, next(zones, context.period.timezone))
        return replace(reaching(context, subject), period=usual if digest is None else digest.period)

    def showable(self, scene: Scene) -> Mapping[str, Subject]:
        """What an admin may look at where nothing is subscribed yet."""
        visibility = self.team.repositories
        return {
            name: subject
            for name, subject in self.catalogue.items()
            if may_show(visibility.get(name), external=scene.external)
        }

    def _memberships(self, incoming: Incoming) -> tuple[Membership, ...]:
        platform, by_channel = self.platforms[incoming.platform], dict[str, list[Subscription]]()
        for one in self.store.subscriptions().all():
            if one.platform == incoming.platform:
                by_channel.setdefault(one.channel, []).append(one)
        return tuple(
            Membership(
                tuple(found), platform.shares(channel, incoming.user), self._external(incoming.platform, channel)
            )
            for channel, found in by_channel.items()
        )

    def _noted(self, incoming: Incoming) -> bool | None:
        """Whether another organisation reads the channel; what a message tells is kept for commands, which do not."""
        if incoming.external is None:
            return self._external(incoming.platform, incoming.channel)
        self.store.channels().note_external(incoming.platform, incoming.channel, external=incoming.external)
        return incoming.external

    def _external(self, platform: str, channel: str) -> bool | None:
        found = self.platforms[platform].external(channel)
        return self.store.channels().external(platform, channel) if found is None else found

    def _subject(self, name: str, scene: Scene) -> Subject:
        """The repository as its subscriptions read it: what they leave out, whose holidays count, where they agree."""
        subject, found = self.catalogue[name], scene.subscriptions_to(name)
        left_out = {Exclusion(one.exclude_authors, one.exclude_paths) for one in found}
        calendars = {calendar_of(one) for one in found}
        exclude = left_out.pop() if len(left_out) == 1 else subject.reading.exclude
        calendar = calendars.pop() if len(calendars) == 1 else None
        return replace(subject, reading=replace(subject.reading, exclude=exclude, calendar=calendar))
