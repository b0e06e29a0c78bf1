"""What a customer is about to buy."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass
class Item:
    sku: str
    price: Decimal
    quantity: int = 1


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)

    def add(self, item: Item) -> None:
        """Put an item into the cart, or more of one that is there already."""
        for known in self.items:
            if known.sku == item.sku:
                known.quantity += item.quantity
                return
        self.items.append(item)

    def total(self, discount: Decimal = Decimal(0)) -> Decimal:
        """The price of everything in the cart, less a discount in percent."""
        gross = sum((i.price * i.quantity for i in self.items), Decimal(0))
        return (gross * (100 - discount) / 100).quantize(Decimal("0.01"))
