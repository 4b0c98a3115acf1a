"""The identity pool: the words and pictures of anonymised identities.

Every player gets one stable synthetic identity, composed once at first contact: a first word, a second word and an avatar
key. A game may configure its own pool; this is the default.
"""

from __future__ import annotations

from livecore.kernel.entropy import Entropy
from livecore.players.config import IdentityPool, PlayersConfig

_FIRST = (
    "Amber Ancient Arctic Autumn Azure Bold Brave Bright Bronze Calm Clever Cobalt Copper Coral Cosmic Crimson Crystal "
    "Curious Daring Dawn Dusty Eager Early Ebony Electric Emerald Fabled Fearless Fierce Frosty Gentle Gilded Golden Grand "
    "Happy Hidden Humble Indigo Iron Ivory Jade Jolly Keen Kind Lively Lone Loyal Lucky Lunar Marble Mellow Merry Mighty "
    "Misty Nimble Noble Northern Olive Opal Patient Pearl Plucky Polar Proud Quick Quiet Radiant Rapid Royal Ruby Rustic "
    "Sage Sandy Scarlet Secret Shiny Silent Silver Sly Snowy Solar Spry Stellar Stormy Sturdy Sunny Swift Tawny Teal Tidal "
    "Timber Topaz Tranquil Twilight Umber Valiant Velvet Verdant Violet Vivid Wandering Warm Wild Windy Winter Wise Witty "
    "Wooden Zesty"
)
_SECOND = (
    "Albatross Antelope Badger Bear Beaver Bison Bobcat Buffalo Bumblebee Camel Caribou Cheetah Cobra Condor Cougar Coyote "
    "Crane Cricket Crow Deer Dolphin Dragonfly Eagle Egret Elk Falcon Ferret Finch Firefly Fox Gazelle Gecko Gibbon Goose "
    "Griffin Hare Hawk Hedgehog Heron Hornet Ibex Ibis Iguana Jackal Jaguar Jay Kestrel Kingfisher Kiwi Koala Lark Lemur "
    "Leopard Lion Lizard Llama Lynx Magpie Manatee Mantis Marmot Marten Mole Mongoose Moose Narwhal Newt Ocelot Octopus "
    "Oriole Osprey Otter Owl Panda Panther Parrot Pelican Penguin Pheasant Phoenix Puffin Puma Quail Rabbit Raccoon Raven "
    "Robin Salmon Seal Shark Sparrow Squirrel Stag Starling Stork Swallow Swan Tapir Tern Tiger Toad Tortoise Toucan Trout "
    "Turtle Viper Walrus Weasel Whale Wolf Wolverine Wombat Woodpecker Wren Yak Zebra"
)

DEFAULT_POOL = IdentityPool(
    first_words=tuple(_FIRST.split()),
    second_words=tuple(_SECOND.split()),
    avatars=tuple(f"avatar_{number:02d}" for number in range(1, 33)),
)
"""A little over 12,000 names, and 32 avatar keys, for which the game has its own pictures."""


def compose(config: PlayersConfig, entropy: Entropy) -> tuple[str, str | None]:
    """Draw a synthetic name and avatar from the game's pool."""
    pool = config.identity_pool or DEFAULT_POOL
    name = f"{entropy.choice(pool.first_words)} {entropy.choice(pool.second_words)}"
    return name, entropy.choice(pool.avatars) if pool.avatars else None
